/**
 * Acquires every followed account of a venue within ten minutes of each hour mark. The stage `accounts` values the
 * acquisitions, and stores the first value as the snapshot of the hour. What is missing after a restart follows from the
 * log.
 */
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { TopicFollower } from '#infra/stages/topic-follower';
import type { Metrics } from '#infra/telemetry/metrics';
import { HOUR_MS, hourOf, SNAPSHOT_WITHIN_MS } from '#schemas/domain/returns/snapshot-hour';
import { snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import { accountName, type ProviderFamily } from '#schemas/venues/accounts';
import { UpstreamError } from '../feed/errors.ts';
import { isNoRoom } from '../feed/reserve-in-time.ts';
import type { Acquire } from '../requests/shared-acquisitions.ts';
import type { AdapterContext } from '../venues/adapter.ts';
import { type SnapshotTurn, SnapshotTurns } from './snapshot-turns.ts';

/** Time between two looks for an account whose turn it is. */
const INTERVAL_MS = 1_000;
/** Acquisitions at once. They wait for room within the limits. */
const RUNNING = 8;
/** What became of an hour is counted so long after the ten minutes, when the last acquisitions are valued. */
const COUNTED_AFTER_MS = SNAPSHOT_WITHIN_MS + 60_000;

export interface SnapshotsOptions {
  readonly context: Pick<AdapterContext, 'log' | 'codec' | 'logger'> & {
    readonly metrics: Pick<Metrics, 'navSnapshots'>;
  };
  readonly family: ProviderFamily;
  readonly acquire: Acquire;
  /** Priority within the limits of the venue. */
  readonly priority: number;
  /** The priority while more accounts are left than fit into the rest of the ten minutes, ms; none by default. */
  readonly urgent?: { readonly priority: number; readonly fits: (ms: number) => number };
  readonly now?: () => number;
  /** How it waits between two looks. */
  readonly wait?: typeof pause;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startSnapshots(options: SnapshotsOptions): Promise<Running> {
  const { context, family } = options;
  const { log, codec } = context;
  await log.createTopics([snapshotHeadTopic]);
  await codec.prepare([snapshotHeadTopic]);
  const turns = new SnapshotTurns();
  const prefix = accountName(family, '');
  const { first } = await log.bounds({ topic: snapshotHeadTopic.name, partition: 0 });
  const follower = new TopicFollower(context, {
    topic: snapshotHeadTopic,
    part: `snapshots of ${family}`,
    from: first,
    isWanted: (key) => key.startsWith(prefix),
    handle: ({ account, newest }) => turns.record(account, newest?.hour ?? null),
    onRemoved: (account) => turns.forget(account),
  });
  await follower.catchUp();
  await follower.start();
  const running = Promise.all([
    ...Array.from({ length: RUNNING }, () => acquireInTurn(options, turns, follower.signal)),
    countHours(options, turns, follower.signal),
  ]);
  return {
    close: async () => {
      await follower.close();
      await running;
    },
  };
}

async function acquireInTurn(options: SnapshotsOptions, turns: SnapshotTurns, signal: AbortSignal): Promise<void> {
  const { wait = pause, now = Date.now } = options;
  while (await wait(INTERVAL_MS, signal))
    for (let turn = turns.next(now()); turn && !signal.aborted; turn = turns.next(now()))
      await acquireOne(options, turns, turn, signal);
}

/** The priority of an acquisition: the urgent one while more accounts are left, with it, than fit into the rest of the time. */
function priorityOf(
  { priority, urgent }: Pick<SnapshotsOptions, 'priority' | 'urgent'>,
  { left }: Pick<SnapshotTurns, 'left'>,
  ms: number,
): number {
  return urgent && left + 1 > urgent.fits(ms) ? urgent.priority : priority;
}

async function acquireOne(
  options: SnapshotsOptions,
  turns: SnapshotTurns,
  turn: SnapshotTurn,
  signal: AbortSignal,
): Promise<void> {
  const { context, family, acquire, now = Date.now } = options;
  const address = turn.account.slice(accountName(family, '').length);
  const priority = priorityOf(options, turns, turn.until - now());
  try {
    await acquire(address, { cause: 'snapshot', priority, roomUntil: turn.until, signal });
    turns.acquired(turn, now());
  } catch (error) {
    if (signal.aborted) return;
    turns.failed(turn, isNoRoom(error) ? 'no_room' : 'failed', now());
    // The venue may be away for long, and the acquisition is repeated.
    const level = error instanceof UpstreamError ? 'debug' : 'error';
    context.logger[level]({ error, account: turn.account }, 'could not acquire an account for its snapshot');
  }
}

/** Counts what became of each account in each hour that this process sees to its end. */
async function countHours(options: SnapshotsOptions, turns: SnapshotTurns, signal: AbortSignal): Promise<void> {
  const { context, family, wait = pause, now = Date.now } = options;
  const { navSnapshots } = context.metrics;
  let next = hourOf(now()) + COUNTED_AFTER_MS < now() ? hourOf(now()) + HOUR_MS : hourOf(now());
  while (await wait(INTERVAL_MS, signal)) {
    if (now() < next + COUNTED_AFTER_MS) continue;
    for (const outcome of turns.outcomesOf(next)) navSnapshots.inc({ venue: family, outcome });
    next += HOUR_MS;
  }
}
