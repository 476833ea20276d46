/** Sends the commands of clients as the caller, with the request's `Idempotency-Key` (contract, Organizations). */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type ControlReplica, VerdictTimeoutError } from '#infra/control/control-replica';
import { LogError } from '#infra/log/log';
import type { IdempotencyRequest } from '#schemas/domain/control/envelope';
import { ownerName } from '#schemas/domain/control/owner';
import { ApiError, type ApiErrorOptions, type ErrorCode, unavailable } from '#schemas/errors';
import type { Caller, Command } from '../routes/route.ts';
import type { CommandRateLimiter } from './command-rate-limiter.ts';

const KEY_LENGTH_MAX = 255;
const PATH_LENGTH_MAX = 2_048;

/**
 * A refused command. `isReplayed` is true if it repeats the refusal of an earlier request with the same
 * `Idempotency-Key`.
 */
export class CommandRefusal extends ApiError {
  readonly isReplayed: boolean;
  constructor(code: ErrorCode, message: string, options: ApiErrorOptions & { readonly isReplayed: boolean }) {
    super(code, message, options);
    this.isReplayed = options.isReplayed;
  }
}

/** Sends the commands of one request. */
export interface CommandSender {
  readonly command: Command;
  /** True if the result is that of an earlier request. */
  readonly isReplayed: () => boolean;
}

export interface CommandDependencies {
  readonly control: Pick<ControlReplica, 'submit'>;
  readonly commandRateLimiter: CommandRateLimiter;
}

/** @param idempotency is sent with every command, if the request has an `Idempotency-Key`. */
export function createCommandSender(
  { control, commandRateLimiter }: CommandDependencies,
  caller: Caller,
  idempotency: IdempotencyRequest | undefined,
): CommandSender {
  let isReplayed = false;
  const { orgId, keyId, userId, sandbox } = caller;
  const envelope = { actor: { orgId, keyId, userId, sandbox }, ...(idempotency ? { idempotency } : {}) };
  return {
    isReplayed: () => isReplayed,
    command: async <R>(type: { readonly type: string }, body: unknown) => {
      commandRateLimiter.consume(orgId);
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

async function submit(host: Pick<ControlReplica, 'submit'>, type: string, body: object) {
  try {
    return await host.submit(type, body);
  } catch (error) {
    if (error instanceof VerdictTimeoutError)
      throw unavailable(
        'the change was not confirmed in time and may still take effect; check before you repeat it',
        error,
      );
    if (error instanceof LogError && error.canRetry)
      throw unavailable('changes cannot be accepted at the moment; try again', error);
    throw error;
  }
}

/** The `Idempotency-Key` of a request, if it has one. Throws 400 if it is empty or too long. */
export function idempotencyOf(request: FastifyRequest, body: unknown): IdempotencyRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_MAX)
    throw new ApiError('validation_failed', `Idempotency-Key: must be 1 to ${KEY_LENGTH_MAX} characters`);
  const path = request.url.split('?', 1)[0]!.slice(0, PATH_LENGTH_MAX);
  // The parsed body, so that the order of fields and white space make no difference.
  const bodyDigest = hash('sha256', JSON.stringify(body) ?? '', 'hex');
  return { key, route: `${request.method} ${path}`, bodyDigest };
}

/** The `Idempotency-Key`s of requests in progress on this node. Across nodes the order in the log decides. */
export class InFlightKeys {
  private readonly keys = new Set<string>();

  /** Runs `work`. Throws 409 while another request with the key is running. */
  async run<T>(caller: Caller, { key, route }: IdempotencyRequest, work: () => Promise<T>): Promise<T> {
    const name = `${ownerName(caller)} ${route} ${key}`;
    if (this.keys.has(name))
      throw new ApiError('conflict', 'Idempotency-Key: the first request with it is still running');
    this.keys.add(name);
    try {
      return await work();
    } finally {
      this.keys.delete(name);
    }
  }
}
