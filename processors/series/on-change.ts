/** Follows an account while any live binding names it: its series exist from the first to the last one. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { SOURCES, WINDOWS } from '#schemas/domain/returns/series';
import { flowCoverageTopics } from '#schemas/topics/account-flows';
import { accountSeriesTopic, seriesKey } from '#schemas/topics/account-series';
import type { ControlChange } from '#schemas/topics/control';
import { followAccounts } from '../shared/followed-accounts.ts';
import { emitChainCoverage } from './chain-flows.ts';
import { createLoadedFlows, emitCoverage, stopWaiting } from './flows.ts';
import type { SeriesState } from './state.ts';

export function onChange(state: SeriesState, { value, receivedAt }: StageRecord<ControlChange>, emit: Emit): void {
  const { control, followed } = state;
  followAccounts(control, value, {
    followed,
    start(account, family) {
      const flows = family === 'venue_a' ? createLoadedFlows() : null;
      const entry = { ledger: receivedAt, flows, flowsFrom: null };
      followed.set(account, entry);
      if (flows) emitCoverage(state, account, entry, receivedAt, emit);
      else emitChainCoverage(account, entry, receivedAt, emit);
      for (const window of WINDOWS) {
        const series = { account, window, source: SOURCES[family], observedAt: null, points: [] };
        emit(accountSeriesTopic, seriesKey(series), series);
      }
    },
    end(account) {
      emit.remove(flowCoverageTopics[followed.get(account)?.flows ? 'venue_a' : 'venue_b'], account);
      followed.delete(account);
      stopWaiting(state, account);
      for (const window of WINDOWS) emit.remove(accountSeriesTopic, seriesKey({ account, window }));
    },
  });
}
