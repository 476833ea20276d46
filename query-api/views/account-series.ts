/** View of the series of followed accounts. */
import { onKeyed, type Stage } from '#infra/stages/stage';
import { type AccountSeries, accountSeriesTopic } from '#schemas/topics/account-series';

/** By account and window (`seriesKey`). */
export type AccountSeriesView = Map<string, AccountSeries>;

export const accountSeriesView: Stage<AccountSeriesView> = {
  name: 'view.account-series',
  inputs: [
    onKeyed(accountSeriesTopic, (view: AccountSeriesView, { key, value }) => {
      if (value) view.set(key, value);
      else view.delete(key);
    }),
  ],
  outputs: [],
  initialState: () => new Map(),
};
