import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { unavailable } from '#schemas/errors';
import type { Route } from '../routes/route.ts';
import { authenticate, type Identity } from './authenticate.ts';
import { computeForCaller, computeShared, type RouteResponse } from './compute-response.ts';
import { createRequestParser } from './parse-request.ts';
import type { HeaderList } from './send.ts';
import type { ServeOptions } from './serve-options.ts';
import { headersAt, matchesTag } from './validators.ts';

const NO_HEADERS: HeaderList = [];
/** Marks responses from the sandbox data set (specification, coin snapshot). */
const SANDBOX_MARK: HeaderList = ['x-svc-sandbox', 'true'];
/** Prefix of the cache keys of sandbox responses; the cache keys of live responses begin with a path. */
const SANDBOX_PREFIX = 'sandbox ';
const noop = () => {};

type Completion = void | Promise<void>;

/**
 * Builds the Fastify route: authentication, parsing, cache, handler. Serving a cached response to a known key awaits
 * nothing, which makes it nearly as fast as a bare handler. The handler always sends the response itself and returns
 * nothing to Fastify.
 */
export function serveRoute(route: Route, options: ServeOptions): RouteOptions {
  const { cache, sender, errors, meter, isReady } = options;
  const parseRequest = createRequestParser(route);
  /** A read in the turn of an organization waits and fails in it, so others do not share one that is running. */
  const usesTurns = route.upstreamStatuses.length > 0;
  const readsBody = route.method !== 'GET' && route.scope !== null;
  /** Callers of requests that may have a body: they are authenticated before the body is read. */
  const callers = new WeakMap<FastifyRequest, Identity>();

  /** A sandbox key sees only the markets and events of the data set. */
  const usesSandbox = (identity: Identity | null): boolean => route.servesMarketData && identity?.key.sandbox === true;

  const compute = (
    request: FastifyRequest,
    reply: FastifyReply,
    identity: Identity | null,
  ): RouteResponse | Promise<RouteResponse> => {
    const parsed = parseRequest(request);
    const isSandboxed = usesSandbox(identity);
    if (route.dependsOnCaller) {
      const audience = { identity: identity!, isSandboxed };
      return computeForCaller({ route, parsed, audience, request, signal: signalOf(reply) }, options);
    }
    const computed = () => computeShared({ route, parsed, audience: { identity, isSandboxed } }, options);
    if (route.cacheTtlMs === 0) return computed();
    const key = isSandboxed ? SANDBOX_PREFIX + parsed.key : parsed.key;
    return cache.get(key) ?? cache.computeOnce(key, computed, usesTurns ? identity?.organization.id : undefined);
  };

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    response: RouteResponse,
    headers: HeaderList,
  ): Completion => {
    const { validators } = response;
    const own = response.headers ? [...headers, ...response.headers] : headers;
    if (validators) {
      const all = [...own, ...headersAt(validators, cache.now())];
      if (matchesTag(request.headers['if-none-match'], validators)) return sender.notModified(request, reply, all);
      return sender.encoded(request, reply, response.statusCode, response.body, all);
    }
    if (response.statusCode === 204) return sender.empty(request, reply, own);
    return sender.encoded(request, reply, response.statusCode, response.body, own);
  };

  const marked = (identity: Identity | null, headers: HeaderList): HeaderList =>
    usesSandbox(identity) ? [...headers, ...SANDBOX_MARK] : headers;

  /** Sends a response and finishes its quota unit. Errors are sent here too, since they carry the same headers. */
  const serveTo = (request: FastifyRequest, reply: FastifyReply, identity: Identity | null): Completion => {
    const { sku } = route;
    const organization = identity?.organization;
    if (sku && organization && !meter.reserve(organization, sku)) {
      const headers = marked(identity, meter.headers(organization, sku));
      return errors.send(request, reply, meter.quotaExceeded(organization, sku), headers);
    }
    const headers = (isSuccess: boolean): HeaderList =>
      marked(identity, sku && organization ? meter.finish(organization, sku, isSuccess) : NO_HEADERS);
    let response: RouteResponse | Promise<RouteResponse>;
    try {
      response = compute(request, reply, identity);
    } catch (fault) {
      return errors.send(request, reply, fault, headers(false));
    }
    if (!(response instanceof Promise)) return send(request, reply, response, headers(response.statusCode < 300));
    return response.then(
      (all) => send(request, reply, all, headers(all.statusCode < 300)),
      (fault: unknown) => errors.send(request, reply, fault, headers(false)),
    );
  };

  const identify = (request: FastifyRequest): Identity | Promise<Identity> => {
    if (!isReady()) throw unavailable('the service is starting; try again');
    return authenticate(options, route, request);
  };

  const serve = (request: FastifyRequest, reply: FastifyReply): Completion => {
    if (route.scope === null) return serveTo(request, reply, null);
    const identity = readsBody ? callers.get(request)! : identify(request);
    return identity instanceof Promise
      ? identity.then((found) => serveTo(request, reply, found))
      : serveTo(request, reply, identity);
  };

  /** Wraps a step so that whatever it throws or rejects with is sent as an error. */
  const sendingErrors = (work: (request: FastifyRequest, reply: FastifyReply, next: () => void) => Completion) => {
    return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
      try {
        work(request, reply, next)?.catch((fault: unknown) => errors.send(request, reply, fault));
      } catch (fault) {
        errors.send(request, reply, fault);
      }
    };
  };
  const handler = sendingErrors(serve);

  const routeOptions = {
    method: route.method,
    url: route.path,
    handler: (request: FastifyRequest, reply: FastifyReply) => handler(request, reply, noop),
  };
  if (!readsBody) return routeOptions;
  return {
    ...routeOptions,
    // Runs before the body is read: no body of an unauthorized client is parsed.
    onRequest: sendingErrors((request, _reply, next) => {
      const accept = (identity: Identity) => {
        callers.set(request, identity);
        next();
      };
      const identity = identify(request);
      return identity instanceof Promise ? identity.then(accept) : accept(identity);
    }),
    // The error response for an unreadable body carries the quota headers too.
    errorHandler: (fault, request, reply) => {
      const identity = callers.get(request) ?? null;
      const quota = identity && route.sku ? meter.headers(identity.organization, route.sku) : NO_HEADERS;
      errors.send(request, reply, fault, marked(identity, quota));
    },
  };
}

/** A signal that aborts when the response was sent or its connection is lost. */
function signalOf(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  reply.raw.once('close', () => disconnected.abort());
  return disconnected.signal;
}
