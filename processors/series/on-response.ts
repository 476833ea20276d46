/** Responses about the series of accounts. Those about accounts that are not followed are skipped. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { asObject, asText, parseJsonOrNull } from '#schemas/domain/json-fields';
import { SOURCES, WINDOWS } from '#schemas/domain/returns/series';
import { seriesRecord } from '#schemas/domain/returns/series-record';
import { readPortfolio } from '#schemas/domain/returns/venue-a-series';
import { readUserPnl, readUserPnlRequest } from '#schemas/domain/returns/venue-b-series';
import { accountSeriesTopic, seriesKey } from '#schemas/topics/account-series';
import type { RawEnvelope } from '#schemas/topics/raw';
import { accountName } from '#schemas/venues/accounts';
import { LEDGER_UPDATES } from '#schemas/venues/venue-a/ledger-updates';
import { completeUntil } from '../shared/requested-at.ts';
import { parseJson, rejectMalformed } from '../venues/shared/malformed.ts';
import { addLedgerUpdates } from './flows.ts';
import type { SeriesState } from './state.ts';

type Response = StageRecord<RawEnvelope>;

const PORTFOLIO = 'portfolio';

export function onInfo(state: SeriesState, { value }: Response, emit: Emit): void {
  const { request, payload, receivedAt } = value;
  // Most answers are about markets, and are not parsed.
  if (!request?.includes(`"${PORTFOLIO}"`) && !request?.includes(`"${LEDGER_UPDATES}"`)) return;
  const { type, user, startTime } = asObject(parseJsonOrNull(request));
  const account = accountName('venue_a', (asText(user) ?? '').toLowerCase());
  if ((type !== PORTFOLIO && type !== LEDGER_UPDATES) || !state.followed.has(account)) return;
  orReject(emit, () => {
    if (type === LEDGER_UPDATES) {
      const from = typeof startTime === 'number' ? startTime : 0;
      const range = { startTime: from, receivedAt, completeUntil: completeUntil(value) };
      return addLedgerUpdates(state, account, parseJson(payload.toString(), 'malformed_answer'), range, emit);
    }
    const series = readPortfolio(parseJson(payload.toString(), 'malformed_answer'));
    for (const window of WINDOWS) {
      const record = seriesRecord(account, window, SOURCES.venue_a, series[window], receivedAt);
      emit(accountSeriesTopic, seriesKey(record), record);
    }
  });
}

export function onUserPnl({ followed }: SeriesState, { value }: Response, emit: Emit): void {
  const { request, payload, receivedAt } = value;
  const { address, window } = readUserPnlRequest(request ?? '');
  const account = accountName('venue_b', address);
  if (window === null || !followed.has(account)) return;
  orReject(emit, () => {
    const points = readUserPnl(payload.toString());
    const record = seriesRecord(account, window, SOURCES.venue_b, points, receivedAt);
    emit(accountSeriesTopic, seriesKey(record), record);
  });
}

function orReject(emit: Emit, read: () => void): void {
  try {
    read();
  } catch (error) {
    rejectMalformed(error, 'malformed_answer', emit);
  }
}
