/**
 * Accounts whose transfers of collateral are read: those of venue_b that a binding names. The stage `series` states them in
 * `derived.flow-coverage.venue_b`.
 */
import type { Running } from '#infra/runtime/context';
import { TopicFollower } from '#infra/stages/topic-follower';
import { type FlowCoverage, flowCoverageTopics } from '#schemas/topics/account-flows';
import { accountName } from '#schemas/venues/accounts';
import { CHAIN_EVENTS, COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import type { AdapterContext } from '../../adapter.ts';
import type { PositionFilter } from './chain-rpc.ts';

/** Accounts of one filter. Nodes limit the length of a request. */
const ACCOUNTS_OF_FILTER = 500;
const PREFIX = accountName('venue_b', '');

/** An account that is read from now on, with the event time of its binding. */
export interface AddedAccount {
  readonly account: string;
  readonly ledger: number;
}

/** The filters change only in `apply`, so that the reader knows which block is the first with the logs of an account. */
export class CollateralAccounts {
  /** Event time of the binding of each account, lower case. */
  private readonly bound = new Map<string, number>();
  private applied: ReadonlyMap<string, number> = new Map();
  /** The newest published block when the accounts were applied last. */
  private appliedAt = 0;
  private current: readonly PositionFilter[] = [];

  /** Handles a record of the coverage of flows. */
  record({ account, ledger }: Pick<FlowCoverage, 'account' | 'ledger'>): void {
    this.bound.set(account.slice(PREFIX.length), ledger);
  }

  forget(account: string): void {
    this.bound.delete(account.slice(PREFIX.length));
  }

  /** Event time of the binding since which an account is followed; null if no live binding names it. */
  boundSince(account: string): number | null {
    return this.bound.get(account) ?? null;
  }

  /** Since when the transfers of an account are read: the binding, and a block of which the later ones are read. */
  readFrom(account: string): { readonly ledger: number; readonly block: number } | null {
    const ledger = this.applied.get(account);
    return ledger === undefined ? null : { ledger, block: this.appliedAt };
  }

  /** Filters of the transfers from and to the accounts that were applied last. */
  filters(): readonly PositionFilter[] {
    return this.current;
  }

  /**
   * Reads the accounts that are bound now from here on. Returns those that were not read before, or by another binding.
   * @param newest number of the newest published block.
   */
  apply(newest: number): AddedAccount[] {
    const added = [...this.bound].filter(([account, ledger]) => this.applied.get(account) !== ledger);
    if (added.length === 0 && this.applied.size === this.bound.size) return [];
    this.applied = new Map(this.bound);
    this.appliedAt = newest;
    const topics = [...this.applied.keys()].map(accountTopic);
    const addresses = Object.values(COLLATERAL_TOKENS);
    this.current = Array.from({ length: Math.ceil(topics.length / ACCOUNTS_OF_FILTER) }, (_, at) =>
      topics.slice(at * ACCOUNTS_OF_FILTER, (at + 1) * ACCOUNTS_OF_FILTER),
    ).flatMap((some) => [
      { addresses, topics: [[CHAIN_EVENTS.transfer], some] },
      { addresses, topics: [[CHAIN_EVENTS.transfer], null, some] },
    ]);
    return added.map(([account, ledger]) => ({ account, ledger }));
  }
}

/** Follows which accounts are bound. It knows all earlier ones when it returns. */
export async function followCollateralAccounts(
  context: Pick<AdapterContext, 'log' | 'codec' | 'logger'>,
  accounts: CollateralAccounts,
): Promise<Running> {
  const topic = flowCoverageTopics.venue_b;
  await context.log.createTopics([topic]);
  await context.codec.prepare([topic]);
  const { first } = await context.log.bounds({ topic: topic.name, partition: 0 });
  const follower = new TopicFollower(context, {
    topic,
    part: 'accounts of venue_b whose collateral is read',
    from: first,
    handle: (coverage) => accounts.record(coverage),
    onRemoved: (account) => accounts.forget(account),
  });
  await follower.catchUp();
  await follower.start();
  return follower;
}
