/** What accounts are worth for competition stats: the newest hourly snapshot, or a value of now. */
import { timeLimit } from '#infra/runtime/time-limit';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import type { ProviderFamily } from '#schemas/venues/accounts';
import { accountName } from '#schemas/venues/accounts';
import { readAccountValue } from '../accounts/read-account-value.ts';
import { readFewAtOnce } from '../accounts/read-few-at-once.ts';
import type { Dependencies } from '../routes/route.ts';
import type { ValueFigures } from './figures.ts';

/** A snapshot counts for two hours after its mark. */
const SNAPSHOT_MS = 2 * 3_600_000;
/** A value that is at most this old is live. */
const LIVE_MS = 15_000;
/** How long a response waits for its reads. */
const READS_MS = 10_000;

export interface StatsAccount {
  readonly family: ProviderFamily;
  readonly address: string;
}
export interface StatsValue extends ValueFigures {
  /** The time of the state that is valued, unix ms; null without a value. */
  readonly asOf: number | null;
}
const UNKNOWN_VALUE: StatsValue = { accountValueUsd: null, unrealizedPnlUsd: null, asOf: null };

interface Valued {
  readonly navUsd: string | null;
  readonly unrealizedPnlUsd: string | null;
  readonly asOf: number;
}
const decimalOrNull = (text: string | null): Decimal | null => (text === null ? null : parseDecimal(text));
const toValue = ({ navUsd, unrealizedPnlUsd, asOf }: Valued): StatsValue => ({
  accountValueUsd: decimalOrNull(navUsd),
  unrealizedPnlUsd: decimalOrNull(unrealizedPnlUsd),
  asOf,
});

/** The snapshot of an account at `now` (unix ms). In a sandbox it counts whatever its age. */
export function snapshotValue(
  { family, address }: StatsAccount,
  { snapshotHeads }: Pick<Dependencies['views'], 'snapshotHeads'>,
  now: number,
  isSandbox: boolean,
): StatsValue {
  const newest = snapshotHeads.get(accountName(family, address))?.newest;
  return newest && (isSandbox || now - newest.hour <= SNAPSHOT_MS) ? toValue(newest) : UNKNOWN_VALUE;
}

/** Resolves with a value for each account, in their order; unknown where the account cannot be read in time. */
export async function liveValues(
  accounts: readonly StatsAccount[],
  signal: AbortSignal,
  dependencies: Pick<Dependencies, 'views' | 'ingest'>,
  isSandbox: boolean,
): Promise<StatsValue[]> {
  const { accountValues } = dependencies.views;
  if (isSandbox)
    return accounts.map(({ family, address }) => {
      const value = accountValues.get(accountName(family, address));
      return value && value.navUsd !== null ? toValue(value) : UNKNOWN_VALUE;
    });
  const until = timeLimit(READS_MS, signal);
  const read = (account: StatsAccount) =>
    readAccountValue({ ...account, maxAgeMs: LIVE_MS, signal: until }, dependencies);
  const results = await readFewAtOnce(accounts, read, until);
  return results.map((result) => ('value' in result ? toValue(result.value) : UNKNOWN_VALUE));
}
