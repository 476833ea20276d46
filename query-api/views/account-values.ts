/** View of the newest value of each account that was read. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { type AccountValue, accountValueTopic } from '#schemas/topics/accounts';

/** By account. */
export type AccountValuesView = Map<string, AccountValue>;

export const accountValuesView: Stage<AccountValuesView> = {
  name: 'view.account-values',
  inputs: [
    onKeyed(accountValueTopic, (view: AccountValuesView, { key, value }) => {
      if (value) view.set(key, value);
      else view.delete(key);
    }),
  ],
  outputs: [],
  initialState: () => new Map(),
};
