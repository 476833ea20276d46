/** View of the ledgers of followed accounts: which ledger of an account counts. Their rows are in a table. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { type FollowedLedger, ledgerTopic } from '#schemas/topics/ledgers';

/** By account. */
export type LedgersView = Map<string, FollowedLedger>;

export const ledgersView: Stage<LedgersView> = {
  name: 'view.ledgers',
  inputs: [
    onKeyed(ledgerTopic, (view: LedgersView, { key, value }) => {
      if (value) view.set(key, value);
      else view.delete(key);
    }),
  ],
  outputs: [],
  initialState: () => new Map(),
};
