/** View of the ledgers of followed accounts: which ledger of an account counts, and how far its fills are loaded. Their rows are in tables. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import type { FollowedAccount } from '#infra/telemetry/account-metrics';
import {
  type FillLoad,
  fillLoadTopic,
  fillsThrough,
  type TradeRecording,
  tradeRecordingTopic,
} from '#schemas/topics/account-fills';
import { type FollowedLedger, ledgerTopic } from '#schemas/topics/ledgers';

/** The maps have the account as key. */
export interface LedgersView {
  readonly followed: Map<string, FollowedLedger>;
  /** How far the fills are loaded, for accounts of venue_a only. */
  readonly fillLoads: Map<string, FillLoad>;
  /** Since when every trade of venue_a has been recorded; null before the first record. */
  tradeRecording: TradeRecording | null;
}

export const ledgersView: Stage<LedgersView> = {
  name: 'view.ledgers',
  inputs: [
    onKeyed(ledgerTopic, ({ followed }: LedgersView, { key, value }) => {
      if (value) followed.set(key, value);
      else followed.delete(key);
    }),
    onKeyed(fillLoadTopic, ({ fillLoads }: LedgersView, { key, value }) => {
      if (value) fillLoads.set(key, value);
      else fillLoads.delete(key);
    }),
    onKeyed(tradeRecordingTopic, (view: LedgersView, { value }) => {
      view.tradeRecording = value;
    }),
  ],
  outputs: [],
  initialState: () => ({ followed: new Map(), fillLoads: new Map(), tradeRecording: null }),
};

/**
 * The time up to which all fills of an account have arrived, unix ms; null while its history is loaded, and for an account
 * whose fills need no requests.
 * @param asOf the time up to which the view is known, unix ms.
 */
export function fillsThroughOf(
  { fillLoads, tradeRecording }: LedgersView,
  account: string,
  asOf: number,
): number | null {
  const load = fillLoads.get(account);
  if (!load || load.loadedAt === null) return null;
  return fillsThrough(load, tradeRecording?.since ?? null, asOf);
}

/** The accounts of the view, with the time up to which the fills of those that are loaded have arrived. */
export function followedAccounts(view: LedgersView, asOf: number): FollowedAccount[] {
  return [...view.followed.keys()].map((account) => ({
    venue: account.slice(0, account.indexOf(':')),
    fillsThrough: fillsThroughOf(view, account, asOf),
  }));
}
