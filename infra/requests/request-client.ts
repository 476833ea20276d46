/**
 * Sends requests to ingest and waits for their outcomes. Ingest may run in another process, so requests and outcomes go
 * through the log. Equal concurrent requests of an organization share one record, so that ingest knows every organization
 * that waits, and a result answers equal requests of all for its lifetime. Each caller waits for its own time limit.
 */
import { randomUUID } from 'node:crypto';
import { type RequestKind, requestKey } from '#schemas/requests/kind';
import { type RequestOutcome, requestOutcomeTopic, requestTopic } from '#schemas/topics/requests';
import { OrderedAppender } from '../log/ordered-appender.ts';
import { type FollowerContext, TopicFollower } from '../stages/topic-follower.ts';
import { RequestError } from './request-error.ts';
import { createResultCache } from './result-cache.ts';

const AT = { topic: requestTopic.name, partition: 0 };
const OUTCOMES_AT = { topic: requestOutcomeTopic.name, partition: 0 };

export interface RequestResult<R> {
  readonly result: R;
  /** When it was produced, unix ms. */
  readonly producedAt: number;
}

export interface RequestClient {
  /**
   * Sends a request and waits for its result. Rejects with a `RequestError`, or with a `LogError` if the request could
   * not be appended.
   * @param orgId the organization whose turn it uses; the result does not depend on it.
   */
  send<P, R>(orgId: string, kind: RequestKind<P, R>, params: P): Promise<RequestResult<R>>;
  /** Ends every wait, and those of later requests, with `unavailable`. Call it before the callers are closed, which wait for them. */
  endWaits(): void;
  close(): Promise<void>;
}

export async function openRequestClient(context: FollowerContext): Promise<RequestClient> {
  const { log, codec } = context;
  await log.createTopics([requestTopic, requestOutcomeTopic]);
  await codec.prepare([requestTopic, requestOutcomeTopic]);
  const client = new LogRequestClient(context, (await log.bounds(OUTCOMES_AT)).next);
  await client.start();
  return client;
}

/** A request without an outcome yet, for all callers of an organization with an equal one. */
interface Pending {
  readonly id: string;
  readonly orgId: string;
  readonly kind: RequestKind;
  readonly key: string;
  readonly outcome: Promise<RequestResult<unknown>>;
  readonly settle: (outcome: RequestOutcome) => void;
  readonly fail: (error: unknown) => void;
  /** Callers that wait for the outcome. */
  callers: number;
}

class LogRequestClient implements RequestClient {
  private readonly context: FollowerContext;
  private readonly follower: TopicFollower<RequestOutcome>;
  private readonly appender: OrderedAppender;
  private hasEnded = false;
  private readonly byId = new Map<string, Pending>();
  /** By organization and key. */
  private readonly shared = new Map<string, Pending>();
  private readonly cache = createResultCache<{ readonly value: RequestResult<unknown>; readonly size: number }>(
    ({ size }) => size,
  );

  /** @param from offset of the first outcome. */
  constructor(context: FollowerContext, from: number) {
    this.context = context;
    this.appender = new OrderedAppender((records) => context.log.append(records));
    this.follower = new TopicFollower(context, {
      topic: requestOutcomeTopic,
      part: 'requests to ingest',
      from,
      isWanted: (id) => this.byId.has(id),
      handle: (outcome) => this.byId.get(outcome.id)?.settle(outcome),
    });
  }

  start(): Promise<void> {
    return this.follower.start();
  }

  async send<P, R>(orgId: string, kind: RequestKind<P, R>, params: P): Promise<RequestResult<R>> {
    if (this.hasEnded) throw new RequestError('unavailable');
    // The schema orders the fields, so that equal requests have equal texts.
    const parsed = kind.params.parse(params);
    const key = requestKey(kind, parsed);
    const cached = this.cache.get(key);
    if (cached) return cached.value as RequestResult<R>;
    const shared = this.shared.get(sharedKey(orgId, key));
    const pending = shared ?? this.begin(orgId, kind as RequestKind, key, JSON.stringify(parsed));
    return this.wait(pending, kind.waitMs) as Promise<RequestResult<R>>;
  }

  endWaits(): void {
    this.hasEnded = true;
    for (const { fail } of [...this.byId.values()]) fail(new RequestError('unavailable'));
  }

  async close(): Promise<void> {
    await this.follower.close();
    await this.appender.drained();
  }

  private begin(orgId: string, kind: RequestKind, key: string, params: string): Pending {
    this.refuseIfBusy(orgId, kind);
    const id = randomUUID();
    const { promise, resolve, reject } = withResolvers<RequestResult<unknown>>();
    const settle: Pending['settle'] = (outcome) => {
      this.end(pending);
      try {
        resolve(this.accept(kind, key, outcome));
      } catch (error) {
        reject(error);
      }
    };
    const fail = (error: unknown) => {
      this.end(pending);
      reject(error);
    };
    const pending: Pending = { id, orgId, kind, key, outcome: promise, settle, fail, callers: 0 };
    this.byId.set(id, pending);
    this.shared.set(sharedKey(orgId, key), pending);
    this.append({ id, orgId, kind: kind.name, params }).catch(fail);
    return pending;
  }

  /** Waits for the outcome, at most `waitMs`, which includes the append: that may wait long for a broker. */
  private async wait(pending: Pending, waitMs: number): Promise<RequestResult<unknown>> {
    pending.callers += 1;
    const { promise: late, reject } = withResolvers<never>();
    const timer = setTimeout(() => {
      // Its record may be lost, so later equal requests get one of their own.
      this.stopSharing(pending);
      reject(new RequestError('late'));
    }, waitMs);
    try {
      return await Promise.race([pending.outcome, late]);
    } finally {
      clearTimeout(timer);
      pending.callers -= 1;
      if (pending.callers === 0) this.end(pending);
    }
  }

  private end(pending: Pending): void {
    this.byId.delete(pending.id);
    this.stopSharing(pending);
  }

  private stopSharing(pending: Pending): void {
    const key = sharedKey(pending.orgId, pending.key);
    if (this.shared.get(key) === pending) this.shared.delete(key);
  }

  private refuseIfBusy(orgId: string, kind: RequestKind): void {
    const ofKind = [...this.byId.values()].filter((pending) => pending.kind === kind);
    const ofOrganization = ofKind.filter((pending) => pending.orgId === orgId);
    const { total, perOrganization } = kind.limits;
    if (ofKind.length >= total || ofOrganization.length >= perOrganization) throw new RequestError('busy');
  }

  /** Reads the result of an outcome, and caches it for the rest of its lifetime. */
  private accept(kind: RequestKind, key: string, outcome: RequestOutcome): RequestResult<unknown> {
    const { failure, result, producedAt, lifetimeMs } = outcome;
    if (failure !== null) throw new RequestError(failure, outcome);
    const value = { result: kind.result.parse(JSON.parse(result!)), producedAt };
    const ttl = Math.min(lifetimeMs, producedAt + lifetimeMs - Date.now());
    if (ttl > 0) this.cache.set(key, { value, size: result!.length }, { ttl });
    return value;
  }

  private append(request: { id: string; orgId: string; kind: string; params: string }): Promise<void> {
    return this.appender.append((receivedAt) => {
      const value = this.context.codec.encode(requestTopic, { ...request, receivedAt });
      return { ...AT, key: request.id, value, receivedAt, seq: 0 };
    });
  }
}

const sharedKey = (orgId: string, key: string): string => `${orgId} ${key}`;

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
