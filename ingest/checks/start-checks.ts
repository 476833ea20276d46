/**
 * Acquires accounts of venue_b whose ledgers are to be compared with the venue. The stage `ledgers` compares them, and
 * states which comparison comes next.
 */
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { TopicFollower } from '#infra/stages/topic-follower';
import { ledgerChangeTopic } from '#schemas/topics/ledger-checks';
import { accountName } from '#schemas/venues/accounts';
import { UpstreamError } from '../feed/errors.ts';
import type { Acquire } from '../requests/shared-acquisitions.ts';
import type { AdapterContext } from '../venues/adapter.ts';
import { CheckTurns } from './check-turns.ts';

/** Time between two looks for a ledger whose turn it is. */
const INTERVAL_MS = 1_000;
/** Acquisitions at once. They wait for room within the limits. */
const RUNNING = 4;
/** An acquisition that finds no room by then fails, and comes again later. */
const ROOM_WITHIN_MS = 30_000;
const PREFIX = accountName('venue_b', '');

export interface ChecksOptions {
  readonly context: Pick<AdapterContext, 'log' | 'codec' | 'logger'>;
  readonly acquire: Acquire;
  /** Priority within the limits of the venue. */
  readonly priority: number;
  readonly now?: () => number;
  /** How it waits between two looks. */
  readonly wait?: typeof pause;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startChecks(options: ChecksOptions): Promise<Running> {
  const { log, codec } = options.context;
  await log.createTopics([ledgerChangeTopic]);
  await codec.prepare([ledgerChangeTopic]);
  const turns = new CheckTurns();
  const { first } = await log.bounds({ topic: ledgerChangeTopic.name, partition: 0 });
  const follower = new TopicFollower(options.context, {
    topic: ledgerChangeTopic,
    part: 'comparisons of ledgers of venue_b',
    from: first,
    handle: (change) => turns.record(change),
    onRemoved: (account) => turns.forget(account),
  });
  await follower.catchUp();
  await follower.start();
  const running = Promise.all(Array.from({ length: RUNNING }, () => acquireInTurn(options, turns, follower.signal)));
  return {
    close: async () => {
      await follower.close();
      await running;
    },
  };
}

async function acquireInTurn(options: ChecksOptions, turns: CheckTurns, signal: AbortSignal): Promise<void> {
  const { wait = pause, now = Date.now } = options;
  while (await wait(INTERVAL_MS, signal))
    for (let account = turns.next(now()); account !== null && !signal.aborted; account = turns.next(now()))
      await acquireOne(options, turns, account, signal);
}

async function acquireOne(
  { context, acquire, priority, now = Date.now }: ChecksOptions,
  turns: CheckTurns,
  account: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await acquire(account.slice(PREFIX.length), {
      cause: 'check',
      priority,
      roomUntil: now() + ROOM_WITHIN_MS,
      signal,
    });
  } catch (error) {
    if (signal.aborted) return;
    turns.failed(account, now());
    // The venue may be away for long, and the acquisition is repeated.
    const level = error instanceof UpstreamError ? 'debug' : 'error';
    context.logger[level]({ error, account }, 'could not acquire an account to compare its ledger');
  }
}
