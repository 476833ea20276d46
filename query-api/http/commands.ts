/** Commands of clients: sent as the caller, with the request's `Idempotency-Key` (the contract, Organizations). */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type ControlHost, VerdictTimeoutError } from '#infra/control/control-host';
import { LogError } from '#infra/log/log';
import type { IdempotencyRequest } from '#schemas/domain/control/envelope';
import { ownerName } from '#schemas/domain/control/owner';
import { ApiError, type ApiErrorOptions, type ErrorCode, unavailable } from '#schemas/errors';
import type { Caller, Command } from '../routes/route.ts';
import type { CommandRate } from './command-rate.ts';

const KEY_LENGTH_MAX = 255;
const PATH_LENGTH_MAX = 2_048;

/** A refusal; `isReplayed` for one that answered an earlier request with the same `Idempotency-Key`. */
export class CommandRefusal extends ApiError {
  readonly isReplayed: boolean;
  constructor(code: ErrorCode, message: string, options: ApiErrorOptions & { readonly isReplayed: boolean }) {
    super(code, message, options);
    this.isReplayed = options.isReplayed;
  }
}

/** Everything that a request's commands have in common. */
export interface CommandScope {
  readonly command: Command;
  /** Whether the answer is that of an earlier request. */
  readonly isReplayed: () => boolean;
}

/** What takes commands, and how many of them. */
export interface CommandTaker {
  readonly control: Pick<ControlHost, 'submit'>;
  readonly commandRate: CommandRate;
}

/** How the commands of one request are sent. */
export function commandScope(
  { control, commandRate }: CommandTaker,
  caller: Caller,
  idempotency: IdempotencyRequest | undefined,
): CommandScope {
  let isReplayed = false;
  const { orgId, keyId, userId, sandbox } = caller;
  const envelope = { actor: { orgId, keyId, userId, sandbox }, ...(idempotency ? { idempotency } : {}) };
  return {
    isReplayed: () => isReplayed,
    command: async <R>(type: { readonly type: string }, body: unknown) => {
      commandRate.take(orgId);
      const verdict = await submit(control, type.type, { ...(body as object), ...envelope });
      if (!verdict.ok) {
        const { code, message, status, retryAfterSeconds, replayed } = verdict;
        throw new CommandRefusal(code, message, {
          isReplayed: replayed,
          ...(status === undefined ? {} : { status }),
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        });
      }
      isReplayed = verdict.replayed;
      return { result: verdict.result as R, replayed: verdict.replayed };
    },
  };
}

async function submit(host: Pick<ControlHost, 'submit'>, type: string, body: object) {
  try {
    return await host.submit(type, body);
  } catch (error) {
    if (error instanceof VerdictTimeoutError)
      throw unavailable('no answer yet, and it may still be done; look before you repeat it', error);
    if (error instanceof LogError && error.canRetry) throw unavailable('changes cannot be taken now; try again', error);
    throw error;
  }
}

/** The `Idempotency-Key` of a request, if it has one. Throws 400 for one that is empty or too long. */
export function idempotencyOf(request: FastifyRequest, body: unknown): IdempotencyRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_MAX)
    throw new ApiError('validation_failed', `Idempotency-Key: must be 1 to ${KEY_LENGTH_MAX} characters`);
  const path = request.url.split('?', 1)[0]!.slice(0, PATH_LENGTH_MAX);
  // The body as its schema read it: the order of the fields and blanks between them make no other request.
  const bodyDigest = hash('sha256', JSON.stringify(body) ?? '', 'hex');
  return { key, route: `${request.method} ${path}`, bodyDigest };
}

/** Requests with an `Idempotency-Key` that are under way on this node. Over nodes the log decides. */
export class RunningKeys {
  private readonly running = new Set<string>();

  /** Runs `work`, or throws 409 while another request with the key runs. */
  async run<T>(caller: Caller, { key, route }: IdempotencyRequest, work: () => Promise<T>): Promise<T> {
    const name = `${ownerName(caller)} ${route} ${key}`;
    if (this.running.has(name))
      throw new ApiError('conflict', 'Idempotency-Key: the first request with it is still running');
    this.running.add(name);
    try {
      return await work();
    } finally {
      this.running.delete(name);
    }
  }
}
