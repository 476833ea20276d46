/**
 * Requests history backfills from ingest and waits for their outcomes. Ingest may run in another process, so requests and
 * outcomes go through the log.
 */
import { randomUUID } from 'node:crypto';
import { type Backfill, type BackfillOutcome, backfillOutcomeTopic, backfillTopic } from '#schemas/topics/backfills';
import { type FollowerContext, TopicFollower } from '../stages/topic-follower.ts';

const AT = { topic: backfillTopic.name, partition: 0 };
const OUTCOMES_AT = { topic: backfillOutcomeTopic.name, partition: 0 };
/** Below the time limit of a REST response. */
const WAIT_MS = 25_000;
/** Maximum of waiting requests on this node, of one organization and of all. */
const WAITING_MAX = { perOrganization: 10, total: 200 } as const;

/** The outcome of a request; `late`: the scan still runs; `busy`: too many requests wait on this node. */
export type BackfillAnswer = BackfillOutcome | 'late' | 'busy';

export interface BackfillClient {
  /** Requests a backfill and waits for its outcome. Rejects with a `LogError` if the request could not be appended. */
  request(request: Pick<Backfill, 'orgId' | 'address' | 'lookbackDays'>): Promise<BackfillAnswer>;
  close(): Promise<void>;
}

export interface BackfillClientContext extends FollowerContext {
  /** How long a request waits for its outcome, ms. */
  readonly waitMs?: number;
}

export async function openBackfillClient(context: BackfillClientContext): Promise<BackfillClient> {
  const { log, codec } = context;
  await log.createTopics([backfillTopic, backfillOutcomeTopic]);
  await codec.prepare([backfillTopic, backfillOutcomeTopic]);
  const client = new LogBackfillClient(context, (await log.bounds(OUTCOMES_AT)).next);
  await client.start();
  return client;
}

interface Waiter {
  readonly orgId: string;
  readonly resolve: (outcome: BackfillOutcome) => void;
}

class LogBackfillClient implements BackfillClient {
  private readonly context: BackfillClientContext;
  private readonly follower: TopicFollower<BackfillOutcome>;
  private readonly waiting = new Map<string, Waiter>();
  private appending: Promise<void> = Promise.resolve();
  private lastReceivedAt = 0;

  /** @param from offset of the first outcome. */
  constructor(context: BackfillClientContext, from: number) {
    this.context = context;
    this.follower = new TopicFollower(context, {
      topic: backfillOutcomeTopic,
      part: 'backfills',
      from,
      isWanted: (id) => this.waiting.has(id),
      handle: (outcome) => this.waiting.get(outcome.id)?.resolve(outcome),
    });
  }

  start(): Promise<void> {
    return this.follower.start();
  }

  async request(request: Pick<Backfill, 'orgId' | 'address' | 'lookbackDays'>): Promise<BackfillAnswer> {
    const { waitMs = WAIT_MS } = this.context;
    const ofOrganization = [...this.waiting.values()].filter(({ orgId }) => orgId === request.orgId).length;
    if (this.waiting.size >= WAITING_MAX.total || ofOrganization >= WAITING_MAX.perOrganization) return 'busy';
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<BackfillAnswer>((resolve) => {
      this.waiting.set(id, { orgId: request.orgId, resolve });
      timer = setTimeout(() => resolve('late'), waitMs);
    });
    try {
      // The time limit includes the append, which may wait long for a broker.
      return await Promise.race([answer, this.append({ id, ...request }).then(() => answer)]);
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }

  close(): Promise<void> {
    return this.follower.close();
  }

  /** Appends one request after the other, so that the times of this node do not go back. */
  private append(request: Omit<Backfill, 'receivedAt'>): Promise<void> {
    const { log, codec } = this.context;
    const done = this.appending.then(async () => {
      this.lastReceivedAt = Math.max(this.lastReceivedAt, Date.now());
      const receivedAt = this.lastReceivedAt;
      const value = codec.encode(backfillTopic, { ...request, receivedAt });
      await log.append([{ ...AT, key: request.id, value, receivedAt, seq: 0 }]);
    });
    this.appending = done.catch(() => {});
    return done;
  }
}
