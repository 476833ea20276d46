import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Authenticator } from '#infra/control/authenticator';
import type { ControlHost } from '#infra/control/control-host';
import { unavailable } from '#schemas/errors';
import type { Dependencies, Route } from '../routes/route.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { AnswerCache } from './answer-cache.ts';
import { createAskedReader } from './asked.ts';
import { authenticate, type Identity } from './authenticate.ts';
import type { CommandRate } from './command-rate.ts';
import type { RunningKeys } from './commands.ts';
import type { ErrorSender } from './errors.ts';
import type { Meter } from './meter.ts';
import type { HeaderList, Sender } from './send.ts';
import { type Made, workOut, workOutOwn } from './work-out.ts';

const NO_HEADERS: HeaderList = [];
/** Marks what was answered from the data set of sandbox keys (specification, coin snapshot). */
const SANDBOX_MARK: HeaderList = ['x-svc-sandbox', 'true'];
/** Begins the keys of kept answers to sandbox keys; those of others begin with a path. */
const SANDBOX_ANSWER = 'sandbox ';
const nothing = () => {};

export interface ServeOptions {
  readonly dependencies: Dependencies;
  /** What takes the place of live markets and events for sandbox keys. */
  readonly sandbox: Sandbox;
  readonly authenticator: Authenticator;
  readonly control: Pick<ControlHost, 'state' | 'isCurrent' | 'submit'>;
  readonly cache: AnswerCache;
  readonly running: RunningKeys;
  readonly commandRate: CommandRate;
  readonly meter: Meter;
  readonly sender: Sender;
  readonly errors: ErrorSender;
  /** False while the views still take what the log held at the start: what they tell until then may be missing things. */
  readonly isReady: () => boolean;
  readonly answerTimeoutMs?: number;
}

type Served = void | Promise<void>;

/**
 * A route as Fastify takes it: who asks, what is asked, a kept answer or a new one. Nothing is awaited on the way to a
 * kept answer for a known key, which makes it nearly as fast as a bare handler. The handler sends by itself and gives
 * Fastify nothing, in neither case.
 */
export function serveRoute(route: Route, options: ServeOptions): RouteOptions {
  const { cache, sender, errors, meter, isReady } = options;
  const readAsked = createAskedReader(route);
  const readsBody = route.method !== 'GET' && route.scope !== null;
  /** Who asks, for requests that may have a body: known before it is read. */
  const admitted = new WeakMap<FastifyRequest, Identity>();

  /** A sandbox key is told of the markets and events of the data set alone. */
  const isInSandbox = (identity: Identity | null): boolean => route.tellsMarkets && identity?.key.sandbox === true;

  const answer = (request: FastifyRequest, reply: FastifyReply, identity: Identity | null): Made | Promise<Made> => {
    const asked = readAsked(request);
    const isSandboxed = isInSandbox(identity);
    if (route.isOwn) return workOutOwn(route, asked, { request, reply }, { identity: identity!, isSandboxed }, options);
    if (route.cacheTtlMs === 0) return workOut(route, asked, options, isSandboxed);
    const key = isSandboxed ? SANDBOX_ANSWER + asked.key : asked.key;
    return cache.get(key) ?? cache.share(key, () => workOut(route, asked, options, isSandboxed));
  };

  const send = (request: FastifyRequest, reply: FastifyReply, made: Made, headers: HeaderList): Served => {
    const all = made.headers ? [...headers, ...made.headers] : headers;
    if (made.statusCode === 204) return sender.empty(request, reply, all);
    return sender.encoded(request, reply, made.statusCode, made.body, all);
  };

  const marked = (identity: Identity | null, headers: HeaderList): HeaderList =>
    isInSandbox(identity) ? [...headers, ...SANDBOX_MARK] : headers;

  /** An answer with the unit that it costs; what fails is told here, since errors carry the same headers. */
  const serveTo = (request: FastifyRequest, reply: FastifyReply, identity: Identity | null): Served => {
    const { sku } = route;
    const organization = identity?.organization;
    if (sku && organization && !meter.take(organization, sku)) {
      const headers = marked(identity, meter.headers(organization, sku));
      return errors.send(request, reply, meter.exceeded(organization, sku), headers);
    }
    const headers = (isSuccess: boolean): HeaderList =>
      marked(identity, sku && organization ? meter.end(organization, sku, isSuccess) : NO_HEADERS);
    let made: Made | Promise<Made>;
    try {
      made = answer(request, reply, identity);
    } catch (fault) {
      return errors.send(request, reply, fault, headers(false));
    }
    if (!(made instanceof Promise)) return send(request, reply, made, headers(made.statusCode < 300));
    return made.then(
      (all) => send(request, reply, all, headers(all.statusCode < 300)),
      (fault: unknown) => errors.send(request, reply, fault, headers(false)),
    );
  };

  const identify = (request: FastifyRequest): Identity | Promise<Identity> => {
    if (!isReady()) throw unavailable('the service is starting; try again');
    return authenticate(options, route, request);
  };

  const serve = (request: FastifyRequest, reply: FastifyReply): Served => {
    if (route.scope === null) return serveTo(request, reply, null);
    const identity = readsBody ? admitted.get(request)! : identify(request);
    return identity instanceof Promise
      ? identity.then((found) => serveTo(request, reply, found))
      : serveTo(request, reply, identity);
  };

  /** Does a part of the work; whatever is thrown is told. */
  const telling = (work: (request: FastifyRequest, reply: FastifyReply, next: () => void) => Served) => {
    return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
      try {
        work(request, reply, next)?.catch((fault: unknown) => errors.send(request, reply, fault));
      } catch (fault) {
        errors.send(request, reply, fault);
      }
    };
  };
  const tellingServe = telling(serve);

  const served = {
    method: route.method,
    url: route.path,
    handler: (request: FastifyRequest, reply: FastifyReply) => tellingServe(request, reply, nothing),
  };
  if (!readsBody) return served;
  return {
    ...served,
    // Before the body is read: a client that may not ask makes us parse nothing.
    onRequest: telling((request, _reply, next) => {
      const admit = (identity: Identity) => {
        admitted.set(request, identity);
        next();
      };
      const identity = identify(request);
      return identity instanceof Promise ? identity.then(admit) : admit(identity);
    }),
    // A body that cannot be read is an answer of the route too, and tells what is left.
    errorHandler: (fault, request, reply) => {
      const identity = admitted.get(request) ?? null;
      const quota = identity && route.sku ? meter.headers(identity.organization, route.sku) : NO_HEADERS;
      errors.send(request, reply, fault, marked(identity, quota));
    },
  };
}
