/** Runs the handler of a route within the time limit, and encodes its result. */
import type { FastifyRequest } from 'fastify';
import { RequestError } from '#infra/requests/request-error';
import { ApiError, unavailable } from '#schemas/errors';
import { type Command, CustomResponse, type Dependencies, isBodyOptional, type Route } from '../routes/route.ts';
import { callerOf, type Identity } from './authenticate.ts';
import { createCommandSender, idempotencyOf } from './commands.ts';
import { EncodedBody } from './encodings.ts';
import { jsonOf } from './json-rows.ts';
import type { ParsedRequest } from './parse-request.ts';
import type { CachedResponse } from './response-cache.ts';
import type { HeaderList } from './send.ts';
import type { ServeOptions } from './serve-options.ts';
import { requestedAddress } from './stream-url.ts';
import { validate } from './validate.ts';
import { isConditional, validatorsOf } from './validators.ts';

/** Time limit of a response (contract, REST). */
const RESPONSE_TIMEOUT_MS = 30_000;
/** The part of that time in which the reads of a handler end, also one after another: 27 s, as one of them by itself. */
const READS_PART = 0.9;
const NO_BODY = new EncodedBody(Buffer.alloc(0));
const REPLAYED: HeaderList = ['idempotent-replayed', 'true'];

/** A response with the headers that its handler adds. */
export interface RouteResponse extends CachedResponse {
  /** Names and values alternating; only responses of caller routes have any. */
  readonly headers?: HeaderList;
}

/** Who a response is computed for. */
export interface Audience {
  /** Null for a public route. A shared response does not depend on it: only requests to ingest and slow reads use its turn. */
  readonly identity: Identity | null;
  /** True if views and store are those of the sandbox data set. */
  readonly isSandboxed: boolean;
}

/** The dependencies of a handler. */
async function dependenciesOf(
  { dependencies, requests, sandbox, responseTimeoutMs = RESPONSE_TIMEOUT_MS }: ServeOptions,
  { identity, isSandboxed }: Audience,
): Promise<Dependencies> {
  const orgId = identity?.organization.id ?? '';
  const until = performance.now() + READS_PART * responseTimeoutMs;
  const ingest: Dependencies['ingest'] = {
    send: async (kind, params) => {
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new RequestError('late');
      return withTimeout(
        leftMs,
        () => requests.send(orgId, kind, params),
        () => new RequestError('late'),
      );
    },
  };
  return { ...dependencies, ingest, turnOf: orgId, ...(isSandboxed ? await sandbox.data() : {}) };
}

/** What a response is computed from. */
export interface SharedRequest {
  readonly route: Route;
  readonly parsed: ParsedRequest;
  readonly audience: Audience;
}

/** What the response for one caller is computed from. */
export interface CallerRequest extends SharedRequest {
  readonly audience: Audience & { readonly identity: Identity };
  readonly request: FastifyRequest;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Computes a response that is the same for every caller. */
export async function computeShared(
  { route, parsed: { input }, audience }: SharedRequest,
  options: ServeOptions,
): Promise<RouteResponse> {
  const { responseTimeoutMs = RESPONSE_TIMEOUT_MS } = options;
  // The handler of such a route uses only `params` and `query`.
  const handle = async () => route.handle(input as never, await dependenciesOf(options, audience));
  const result = await withTimeout(responseTimeoutMs, handle, () => noResponse(responseTimeoutMs));
  const { statusCode, body, headers, producedAt } =
    result instanceof CustomResponse ? result : new CustomResponse(route.statuses[0]!, result);
  const isCacheable = statusCode === 200 && (route.isCacheable?.(body) ?? true);
  // The data set of the sandbox is as new at each request. The clock of the process that fetched data may differ from
  // this one.
  const ageMs = producedAt === null || audience.isSandboxed ? 0 : Math.max(0, Date.now() - producedAt);
  const ttlMs = isCacheable ? Math.max(0, route.cacheTtlMs - ageMs) : 0;
  const encoded = encode(body);
  const validators =
    ttlMs > 0 && isConditional(route)
      ? validatorsOf(encoded.plain, route.cacheTtlMs, options.cache.now() - ageMs)
      : undefined;
  return { statusCode, body: encoded, ttlMs, validators, headers };
}

/** Computes a response for one caller. */
export async function computeForCaller(
  { route, parsed: { input }, audience, request, signal }: CallerRequest,
  options: ServeOptions,
): Promise<RouteResponse> {
  const { inFlightKeys, responseTimeoutMs = RESPONSE_TIMEOUT_MS } = options;
  const body = route.body === null ? undefined : bodyOf(route.body, request);
  const caller = callerOf(audience.identity);
  const idempotency = route.creates ? idempotencyOf(request, body) : undefined;
  const sender = createCommandSender(options, caller, idempotency);
  const { id: requestId } = request;
  const command = sender.command as Command;
  const callerInput = { ...input, body, caller, command, signal, requestId, ...requestedAddress(request) };
  const handle = async () => route.handle(callerInput, await dependenciesOf(options, audience));
  const result = await withTimeout(
    responseTimeoutMs,
    () => (idempotency ? inFlightKeys.run(caller, idempotency, handle) : handle()),
    () => noResponse(responseTimeoutMs),
  );
  const response = result instanceof CustomResponse ? result : new CustomResponse(route.statuses[0]!, result);
  return {
    statusCode: response.statusCode,
    body: response.statusCode === 204 ? NO_BODY : encode(response.body),
    ttlMs: 0,
    headers: sender.isReplayed() ? [...response.headers, ...REPLAYED] : response.headers,
  };
}

function encode(body: unknown): EncodedBody {
  return new EncodedBody(jsonOf(body));
}

function bodyOf(schema: NonNullable<Route['body']>, request: FastifyRequest): unknown {
  if (request.body === undefined && !isBodyOptional(schema))
    throw new ApiError('bad_request', 'body: must be JSON, sent as application/json');
  return validate(schema, request.body);
}

const noResponse = (timeoutMs: number): ApiError => unavailable(`no response within ${timeoutMs / 1000} s; try again`);

/**
 * Returns the result of `work`, or rejects with the error of `onTimeout`. The work itself is not cancelled; it ends by its
 * own limits.
 */
async function withTimeout<T>(timeoutMs: number, work: () => Promise<T>, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onTimeout()), timeoutMs);
  });
  try {
    return await Promise.race([work(), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
