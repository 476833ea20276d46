/** Follows an account while any live binding names it: its series exist from the first to the last one. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { SOURCES, WINDOWS } from '#schemas/domain/returns/series';
import { accountSeriesTopic, seriesKey } from '#schemas/topics/account-series';
import type { ControlChange } from '#schemas/topics/control';
import { followAccounts } from '../shared/followed-accounts.ts';
import type { SeriesState } from './state.ts';

export function onChange(
  { control, followed }: SeriesState,
  { value, receivedAt }: StageRecord<ControlChange>,
  emit: Emit,
): void {
  followAccounts(control, value, {
    followed,
    start(account, family) {
      followed.set(account, { ledger: receivedAt });
      for (const window of WINDOWS) {
        const series = { account, window, source: SOURCES[family], observedAt: null, points: [] };
        emit(accountSeriesTopic, seriesKey(series), series);
      }
    },
    end(account) {
      followed.delete(account);
      for (const window of WINDOWS) emit.remove(accountSeriesTopic, seriesKey({ account, window }));
    },
  });
}
