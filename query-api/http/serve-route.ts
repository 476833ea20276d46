import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '#infra/control/authenticator';
import { ApiError } from '#schemas/errors';
import { Answer, type Dependencies, type Route } from '../routes/route.ts';
import type { AnswerCache, KeptAnswer } from './answer-cache.ts';
import { type Asked, createAskedReader } from './asked.ts';
import { authenticate } from './authenticate.ts';
import { EncodedBody } from './encodings.ts';
import type { ErrorSender } from './errors.ts';
import type { Sender } from './send.ts';

/** The longest that an answer may take (the contract, REST). */
const ANSWER_TIMEOUT_MS = 30_000;
const RETRY_AFTER_SECONDS = 1;

export interface ServeOptions {
  readonly dependencies: Dependencies;
  readonly authenticator: Authenticator;
  readonly cache: AnswerCache;
  readonly sender: Sender;
  readonly errors: ErrorSender;
  /** False while the views still take what the log held at the start: what they tell until then may be missing things. */
  readonly isReady: () => boolean;
  readonly answerTimeoutMs?: number;
}

/**
 * The handler of a route: who asks, what is asked, a kept answer or a new one. Nothing is awaited on the way to a kept
 * answer for a known key, which makes it nearly as fast as a bare handler. The handler sends by itself and gives
 * Fastify nothing, in neither case.
 */
export function serveRoute(route: Route, options: ServeOptions) {
  const { authenticator, cache, sender, errors, isReady } = options;
  const readAsked = createAskedReader(route);

  const answer = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    const asked = readAsked(request);
    const kept = route.cacheTtlMs > 0 ? cache.get(asked.key) : undefined;
    if (kept) return sender.encoded(request, reply, kept.statusCode, kept.body);
    const work = () => workOut(route, asked, options);
    const made = route.cacheTtlMs > 0 ? cache.share(asked.key, work) : work();
    return made.then(({ statusCode, body }) => sender.encoded(request, reply, statusCode, body));
  };

  const serve = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    if (route.scope === null) return answer(request, reply);
    if (!isReady()) throw starting();
    const checked = authenticate(authenticator, route, route.scope, request);
    return checked instanceof Promise ? checked.then(() => answer(request, reply)) : answer(request, reply);
  };

  return (request: FastifyRequest, reply: FastifyReply): void => {
    try {
      const served = serve(request, reply);
      if (served) served.catch((fault: unknown) => errors.send(request, reply, fault));
    } catch (fault) {
      errors.send(request, reply, fault);
    }
  };
}

function starting(): ApiError {
  return new ApiError('internal_error', 'the service is starting; try again', {
    status: 503,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

async function workOut(route: Route, { input }: Asked, options: ServeOptions): Promise<KeptAnswer> {
  const { dependencies, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const result = await within(answerTimeoutMs, async () => route.handle(input, dependencies));
  const { statusCode, body } = result instanceof Answer ? result : { statusCode: 200, body: result };
  const isKept = statusCode === 200 && (route.isKept?.(body) ?? true);
  return {
    statusCode,
    body: new EncodedBody(Buffer.from(JSON.stringify(body))),
    ttlMs: isKept ? route.cacheTtlMs : 0,
  };
}

/** What `work` gives, or 503 when that takes too long; the work itself ends by its own limits. */
async function within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new ApiError('internal_error', `no answer within ${timeoutMs / 1000} s; try again`, {
            status: 503,
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          }),
        ),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
