/** The values of an account at the hours of the service's own snapshots, for when the venue's series is not recent. */
import { toNumber } from '#schemas/domain/decimal';
import { WINDOW_MS, type Window } from '#schemas/domain/returns/series';
import { SNAPSHOTS_MAX, snapshotCurve } from '#schemas/domain/returns/snapshot-curve';
import { isoTime } from '#schemas/http/scalars';
import { accountName } from '#schemas/venues/accounts';
import { readReturnInputsOf } from '../queries/read-return-inputs.ts';
import type { Dependencies } from '../routes/route.ts';
import type { NamedAccount } from './address-parameters.ts';

/** After this time without a snapshot none is returned, ms (contract, Money: portfolio, positions, batch). */
const MAX_AGE_MS = 24 * 3_600_000;

export const STORED_SOURCES = { venue_a: 'venue_a_grid_primary', venue_b: 'venue_b_nav_observations' } as const;

export interface StoredNav {
  readonly source: (typeof STORED_SOURCES)[keyof typeof STORED_SOURCES];
  /** Oldest first. */
  readonly points: { t: number; navUsdc: number; netDepositsUsdc: number | null }[];
  /** The time of the newest snapshot. */
  readonly observedAt: string;
  /** True if there can be older snapshots in the window. */
  readonly isTruncated: boolean;
}

/**
 * Resolves with null without a snapshot of the last 24 hours in the window.
 * @param now unix ms.
 */
export async function readStoredNav(
  { provider, address }: NamedAccount,
  window: Window,
  now: number,
  source: Pick<Dependencies, 'views' | 'store'>,
): Promise<StoredNav | null> {
  const ledger = source.views.ledgers.followed.get(accountName(provider, address));
  const { snapshots, history } = await readReturnInputsOf(source, ledger, null);
  const newest = snapshots.at(-1);
  if (!newest || now - newest.asOf > MAX_AGE_MS) return null;
  const inWindow = snapshots.filter(({ hour }) => hour >= now - WINDOW_MS[window]);
  return {
    source: STORED_SOURCES[provider],
    points: snapshotCurve(inWindow, history).map(({ t, nav, netDeposits }) => ({
      t,
      navUsdc: toNumber(nav),
      netDepositsUsdc: netDeposits === null ? null : toNumber(netDeposits),
    })),
    observedAt: isoTime(newest.asOf),
    isTruncated: inWindow.length >= SNAPSHOTS_MAX,
  };
}
