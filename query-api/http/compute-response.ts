/** A handler's answer as bytes, within the time that an answer may take. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, unavailable } from '#schemas/errors';
import { Answer, type Command, type Dependencies, mayLackBody, type Route } from '../routes/route.ts';
import type { KeptAnswer } from './answer-cache.ts';
import type { Asked } from './asked.ts';
import { callerOf, type Identity } from './authenticate.ts';
import { commandScope, idempotencyOf } from './commands.ts';
import { EncodedBody } from './encodings.ts';
import type { HeaderList } from './send.ts';
import type { ServeOptions } from './serve-route.ts';
import { validate } from './validate.ts';

/** The longest that an answer may take (the contract, REST). */
const ANSWER_TIMEOUT_MS = 30_000;
const NO_BODY = new EncodedBody(Buffer.alloc(0));
const REPLAYED: HeaderList = ['idempotent-replayed', 'true'];

/** An answer that is to be sent. */
export interface Made extends KeptAnswer {
  /** Names and values in turn; only answers of a caller's own have any. */
  readonly headers?: HeaderList;
}

/** What handlers may use: to sandbox keys, markets and events of the data set of theirs. */
async function dependenciesOf({ dependencies, sandbox }: ServeOptions, isSandboxed: boolean): Promise<Dependencies> {
  return isSandboxed ? { ...dependencies, ...(await sandbox.data()) } : dependencies;
}

/** Works out an answer that is the same for everyone. */
export async function workOut(
  route: Route,
  { input }: Asked,
  options: ServeOptions,
  isSandboxed: boolean,
): Promise<Made> {
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  // The declaration of such a route takes nothing but these two.
  const handle = async () => route.handle(input as never, await dependenciesOf(options, isSandboxed));
  const result = await within(answerTimeoutMs, handle);
  const { statusCode, body } = result instanceof Answer ? result : { statusCode: route.statuses[0]!, body: result };
  const isKept = statusCode === 200 && (route.isKept?.(body) ?? true);
  return { statusCode, body: encode(body), ttlMs: isKept ? route.cacheTtlMs : 0 };
}

/** Works out an answer to one caller. */
export async function workOutOwn(
  route: Route,
  { input }: Asked,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { identity, isSandboxed }: { readonly identity: Identity; readonly isSandboxed: boolean },
  options: ServeOptions,
): Promise<Made> {
  const { running, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const body = route.body === null ? undefined : bodyOf(route.body, request);
  const caller = callerOf(identity);
  const idempotency = route.creates ? idempotencyOf(request, body) : undefined;
  const scope = commandScope(options, caller, idempotency);
  const { id: requestId } = request;
  const command = scope.command as Command;
  const disconnected = new AbortController();
  reply.raw.once('close', () => disconnected.abort());
  const { signal } = disconnected;
  const own = { ...input, body, caller, command, signal, requestId, host: request.headers.host ?? '' };
  const handle = async () => route.handle(own, await dependenciesOf(options, isSandboxed));
  const result = await within(answerTimeoutMs, () =>
    idempotency ? running.run(caller, idempotency, handle) : handle(),
  );
  const given = result instanceof Answer ? result : new Answer(route.statuses[0]!, result);
  return {
    statusCode: given.statusCode,
    body: given.statusCode === 204 ? NO_BODY : encode(given.body),
    ttlMs: 0,
    headers: scope.isReplayed() ? [...given.headers, ...REPLAYED] : given.headers,
  };
}

function encode(body: unknown): EncodedBody {
  return new EncodedBody(Buffer.from(JSON.stringify(body)));
}

function bodyOf(schema: NonNullable<Route['body']>, request: FastifyRequest): unknown {
  if (request.body === undefined && !mayLackBody(schema))
    throw new ApiError('bad_request', 'body: must be JSON, sent as application/json');
  return validate(schema, request.body);
}

/** What `work` gives, or 503 when that takes too long; the work itself ends by its own limits. */
async function within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unavailable(`no answer within ${timeoutMs / 1000} s; try again`)), timeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
