/**
 * Serves requests of other roles: reads them from `control.requests`, has the handler of their kind serve them, and
 * publishes the outcomes on `control.request-outcomes`. Only the holder of ingest's lease runs it. The next process
 * serves requests that a process left unanswered, so serving a request twice must be harmless.
 */

import { OrderedAppender } from '#infra/log/ordered-appender';
import { readUntil } from '#infra/log/read-until';
import { PAYLOAD_BYTES_MAX } from '#infra/log/record-size';
import { createResultCache } from '#infra/requests/result-cache';
import type { Running } from '#infra/runtime/context';
import { isTransient, retry } from '#infra/runtime/retry';
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { requestKey } from '#schemas/requests/kind';
import { type RequestOutcome, type RequestRecord, requestOutcomeTopic, requestTopic } from '#schemas/topics/requests';
import { UpstreamError } from '../feed/errors.ts';
import { isNoRoom } from '../feed/reserve-in-time.ts';
import { isOutOfTime } from './read-in-time.ts';
import { REQUEST_AGE_MAX_MS, type RequestHandler } from './request-handler.ts';
import { type QueuedRequest, RequestQueue, type Task } from './request-queue.ts';

const AT = { topic: requestTopic.name, partition: 0 };
const OUTCOMES_AT = { topic: requestOutcomeTopic.name, partition: 0 };

/** A joined request waits on after a read ran out of time if it has this much more time: enough for one attempt at a venue. */
const TIME_LEFT_MIN_MS = 4_000;

/** The part of an outcome that equal requests share. */
type Answer = Omit<RequestOutcome, 'id' | 'receivedAt'>;

export interface RequestServerOptions extends FollowerContext {
  /** Requests of all other kinds are answered with `unavailable`. */
  readonly handlers: readonly RequestHandler[];
}

/** Runs until it is closed. Close it before the publisher. */
export async function startRequestServer(options: RequestServerOptions): Promise<Running> {
  const { log, codec } = options;
  await log.createTopics([requestTopic, requestOutcomeTopic]);
  await codec.prepare([requestTopic, requestOutcomeTopic]);
  const since = Date.now() - REQUEST_AGE_MAX_MS;
  const answeredIds = await readAnsweredIds(options, since);
  const server = new RequestServer(options, answeredIds, await log.offsetAt(AT, since));
  await server.start();
  return server;
}

async function readAnsweredIds({ log }: RequestServerOptions, since: number): Promise<Set<string>> {
  const answered = new Set<string>();
  const newest = await log.last(OUTCOMES_AT);
  if (!newest) return answered;
  const from = await log.offsetAt(OUTCOMES_AT, since);
  for await (const records of readUntil(log, OUTCOMES_AT, { from, last: newest.offset }))
    for (const { key } of records) answered.add(key);
  return answered;
}

/** A kind that is served: its handler and the queue of its requests. */
interface Served {
  readonly handler: RequestHandler;
  readonly queue: RequestQueue<unknown>;
}

class RequestServer {
  private readonly options: RequestServerOptions;
  private readonly answeredIds: Set<string>;
  private readonly follower: TopicFollower<RequestRecord>;
  private readonly served: ReadonlyMap<string, Served>;
  private readonly cache = createResultCache<Answer>(({ result }) => result?.length ?? 0);
  private readonly tasks = new Set<Promise<void>>();
  private readonly appender: OrderedAppender;

  /** @param from offset of the first request. */
  constructor(options: RequestServerOptions, answeredIds: Set<string>, from: number) {
    this.options = options;
    this.answeredIds = answeredIds;
    this.served = new Map(
      options.handlers.map((handler) => {
        const { kind, running } = handler;
        return [kind.name, { handler, queue: new RequestQueue({ ...kind.limits, running }) }];
      }),
    );
    this.appender = new OrderedAppender((records) => this.append(records));
    this.follower = new TopicFollower(options, {
      topic: requestTopic,
      part: 'request server',
      from,
      handle: (request) => this.handle(request),
      afterPoll: () => this.workOffQueues(),
    });
  }

  start(): Promise<void> {
    return this.follower.start();
  }

  /** Ends the running tasks; resolves when every outcome is published. */
  async close(): Promise<void> {
    await this.follower.close();
    await Promise.all(this.tasks);
    await this.appender.drained();
  }

  private handle(request: RequestRecord): void {
    if (this.answeredIds.delete(request.id)) return;
    const served = this.served.get(request.kind);
    // The record of a node of another version can have parameters that this version does not know.
    const params = served?.handler.kind.params.safeParse(parseJsonOrNull(request.params));
    if (!served || !params?.success) {
      this.publish([request], failed('unavailable'));
      return;
    }
    const { handler, queue } = served;
    // No process served it for so long, as before a takeover.
    if (request.receivedAt < Date.now() - handler.expiresAfterMs) {
      this.publish([request], failed('unavailable'));
      return;
    }
    const key = requestKey(handler.kind, params.data);
    const cached = this.cache.get(key);
    if (cached) this.publish([request], cached);
    else if (queue.add(key, params.data, request)) handler.onJoin?.();
    else this.publish([request], failed('busy'));
  }

  private workOffQueues(): void {
    for (const { handler, queue } of this.served.values()) {
      for (const { params, request } of queue.dropOlderThan(Date.now() - handler.expiresAfterMs)) {
        const error = handler.expiredBecause?.(params, request.orgId);
        this.publish([request], error ? failureOf(error) : failed('expired'));
      }
    }
    this.startTasks();
  }

  private startTasks(): void {
    for (const served of this.served.values())
      for (let task = served.queue.next(); task; task = served.queue.next()) {
        const running = this.work(served, task).finally(() => this.tasks.delete(running));
        this.tasks.add(running);
      }
  }

  private async work({ handler, queue }: Served, task: Task<unknown>): Promise<void> {
    const { logger } = this.options;
    const { signal } = this.follower;
    const { kind } = handler;
    const startedAt = Date.now();
    const requestedAt = task.requests[0]!.receivedAt;
    try {
      const context = { signal, requestedAt, orgIds: task.orgIds };
      const result = resultText(await handler.run(task.params, context));
      const producedAt = Date.now();
      const tookMs = producedAt - startedAt;
      const lifetimeMs = kind.lifetimeMs(task.params, tookMs);
      const answer = { ...SUCCESS, producedAt, lifetimeMs, result };
      if (lifetimeMs > 0) this.cache.set(task.key, answer, { ttl: lifetimeMs });
      logger.debug({ kind: kind.name, params: task.params, tookMs }, 'served a request');
      queue.end(task);
      this.publish(task.requests, answer);
    } catch (error) {
      queue.end(task);
      // Left unanswered: the next process serves it.
      if (signal.aborted) return;
      // Callers report failures of a venue, and an outage has very many of them.
      const level = error instanceof UpstreamError ? 'debug' : 'warn';
      logger[level]({ kind: kind.name, params: task.params, error }, 'could not serve a request');
      // Requests that joined it later have time left: they wait on as a task of their own.
      const waitOn = task.requests.filter(({ receivedAt }) => hasTimeLeft(error, receivedAt - requestedAt));
      for (const request of waitOn) queue.add(task.key, task.params, request);
      const failing = task.requests.filter((request) => !waitOn.includes(request));
      this.publish(failing, failureOf(error));
    }
    this.startTasks();
  }

  private publish(requests: readonly Pick<QueuedRequest, 'id'>[], answer: Answer): void {
    for (const { id } of requests)
      this.appender
        .append((receivedAt) => {
          const value = this.options.codec.encode(requestOutcomeTopic, { id, receivedAt, ...answer });
          return { ...OUTCOMES_AT, key: id, value, receivedAt, seq: 0 };
        })
        .catch((error: unknown) => {
          if (!this.follower.signal.aborted)
            this.options.logger.error({ error }, 'the outcome of a request was not published');
        });
  }

  private append(records: Parameters<FollowerContext['log']['append']>[0]): Promise<void> {
    const { signal } = this.follower;
    return retry(() => this.options.log.append(records), {
      canRetry: (error) => !signal.aborted && isTransient(error),
      onFailure: (error, failures) => {
        if (failures === 1) this.options.logger.error({ error }, 'could not publish outcomes of requests, retrying');
      },
      signal,
    });
  }
}

/**
 * True if a request has time left after the failure of a read that it joined. The limits of the read counted from the oldest
 * of its requests, so one that was sent later has as much more time.
 */
function hasTimeLeft(error: unknown, sentLaterMs: number): boolean {
  if (isOutOfTime(error)) return sentLaterMs >= TIME_LEFT_MIN_MS;
  return isNoRoom(error) && sentLaterMs > 0;
}

/** A result as JSON. Throws `upstream_too_large` if its outcome does not fit into a record of the log. */
function resultText(result: unknown): string {
  const text = JSON.stringify(result);
  const bytes = Buffer.byteLength(text);
  if (bytes <= PAYLOAD_BYTES_MAX) return text;
  throw new UpstreamError('upstream_too_large', `the result has ${bytes} bytes, more than ${PAYLOAD_BYTES_MAX}`);
}

const SUCCESS = { failure: null, upstreamStatus: null, upstreamBody: null, retryAfterMs: null } as const;

function failed(failure: NonNullable<Answer['failure']>, details: Partial<Answer> = {}): Answer {
  return { ...SUCCESS, failure, producedAt: Date.now(), lifetimeMs: 0, result: null, ...details };
}

function failureOf(error: unknown): Answer {
  if (!(error instanceof UpstreamError)) return failed('upstream_failed');
  const { code, status, body, retryAfterMs } = error;
  const details = { upstreamStatus: status, upstreamBody: body, retryAfterMs };
  return failed(code === 'upstream_rate_limited' ? 'rate_limited' : 'upstream_failed', details);
}
