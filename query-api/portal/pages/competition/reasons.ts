/** Why a figure of competition stats is not known; pure. */
import { providerFamily, type WalletProvider } from '#schemas/venues/accounts';
import type { StatsRow } from './shapes.ts';

/** What the page asks for, as far as it decides which figures there are. */
export interface StatsChoice {
  readonly mode: string;
  readonly platform: string;
}

type Field = Exclude<keyof StatsRow, 'provider' | 'walletId' | 'address' | 'walletCount'>;

/** Figures that venue_b has none of. */
const VENUE_A_ONLY: ReadonlySet<Field> = new Set<Field>([
  'realizedPnlUsd',
  'unrealizedPnlUsd',
  'tradingFeeUsd',
  'builderFeeUsd',
  'tradeCount',
]);
const VALUES: ReadonlySet<Field> = new Set<Field>(['accountValueUsd', 'accountValueAsOf', 'unrealizedPnlUsd']);
const FILLS: ReadonlySet<Field> = new Set<Field>([
  'volumeUsd',
  'realizedPnlUsd',
  'tradingFeeUsd',
  'builderFeeUsd',
  'tradeCount',
]);

/** True if the sums of a row leave out the fills of a wallet, which are not loaded. */
export function lacksFills({ fillsThrough, volumeUsd }: Pick<StatsRow, 'fillsThrough' | 'volumeUsd'>): boolean {
  return fillsThrough === null && volumeUsd !== null;
}

const RATES: ReadonlySet<Field> = new Set<Field>(['simpleRoiPct', 'mwrPct', 'twrPct']);

/** The reason for which a field of a row is null. */
export function reasonOf(
  field: Field,
  { provider, netPnlUsd }: Pick<StatsRow, 'provider' | 'netPnlUsd'>,
  choice: StatsChoice,
): string {
  const isVenueB = providerFamily(provider as WalletProvider) === 'venue_b';
  if (isVenueB && VENUE_A_ONLY.has(field)) return 'not stated for venue_b';
  if (field === 'tradingFeeUsd' && choice.platform === 'mine') return 'not divided by builders';
  if (VALUES.has(field))
    return choice.mode === 'live'
      ? 'the account could not be read now'
      : 'no hourly snapshot of the last two hours states it';
  if (FILLS.has(field))
    return choice.platform === 'mine'
      ? 'the fills are not loaded up to now, or the builder of one is not known'
      : 'the fills are not loaded up to now';
  if (field === 'fillsThrough') return 'the fills are not loaded yet';
  if (RATES.has(field) && typeof netPnlUsd === 'number') return 'nothing was invested in the window';
  return 'no known value stands at the start of the window, or a deposit in it is not known';
}
