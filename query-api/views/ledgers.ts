/** View of the ledgers of followed accounts: which ledger of an account counts, and how far its fills are loaded. Their rows are in tables. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import type { FollowedAccount } from '#infra/telemetry/account-metrics';
import { type FillLoad, fillLoadTopic, fillsThrough } from '#schemas/topics/account-fills';
import { type FollowedLedger, ledgerTopic } from '#schemas/topics/ledgers';

/** Both maps have the account as key. */
export interface LedgersView {
  readonly followed: Map<string, FollowedLedger>;
  /** How far the fills are loaded, for accounts of venue_a only. */
  readonly fillLoads: Map<string, FillLoad>;
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
  ],
  outputs: [],
  initialState: () => ({ followed: new Map(), fillLoads: new Map() }),
};

/** The accounts of the view, with the time up to which the fills of those that are loaded have arrived. */
export function followedAccounts({ followed, fillLoads }: LedgersView): FollowedAccount[] {
  return [...followed.keys()].map((account) => {
    const load = fillLoads.get(account);
    const venue = account.slice(0, account.indexOf(':'));
    return { venue, fillsThrough: load && load.loadedAt !== null ? fillsThrough(load) : null };
  });
}
