/** REST answers of the catalog (gamma) and of the CLOB: markets, and books of tokens that no socket covers. */

import type { Emit, StageRecord } from '#infra/stages/stage';
import { isJsonObject, type JsonObject } from '#schemas/domain/json-fields';
import type { RawEnvelope } from '#schemas/topics/raw';
import { MalformedError, parseJson, rejectMalformed } from '../../shared/malformed.ts';
import { assignBackfilledMarket } from './backfilled-trades.ts';
import { forgetToken } from './book-status.ts';
import { type CatalogEffects, processCatalogAnswer } from './catalog.ts';
import { assignPhaseMarket } from './emitted-phases.ts';
import { assignTradeMarket } from './emitted-trades.ts';
import { MALFORMED_FRAME, marketOf, readBook, timeOf } from './messages.ts';
import type { VenueBState } from './state.ts';
import { applyAnswer } from './token-books.ts';

/** Handles one record of `raw.venue_b.gamma` or `raw.venue_b.clob`. Only the answer matters, not the request. */
export function onAnswer(state: VenueBState, record: StageRecord<RawEnvelope>, emit: Emit): void {
  try {
    const answer = parseJson(record.value.payload.toString());
    if (isBookAnswer(answer)) onBookAnswer(state, answer, record, emit);
    else onCatalogAnswer(state, answer, record.receivedAt, emit);
  } catch (error) {
    rejectMalformed(error, MALFORMED_FRAME, emit);
  }
}

function onCatalogAnswer(state: VenueBState, answer: unknown, receivedAt: number, emit: Emit): void {
  processCatalogAnswer(state.catalog, answer, receivedAt, emit, catalogEffects(state, emit));
}

/** What follows in the rest of the state from a change of the catalog. */
export function catalogEffects(state: VenueBState, emit: Emit): CatalogEffects {
  return {
    onMarket: (marketId, names) => assignPhaseMarket(state.phases, marketId, names, emit),
    onTokenListed: (token, { marketId, outcome }) => {
      assignTradeMarket(state.trades, token, marketId, outcome, emit);
      assignBackfilledMarket(state.backfilled, token, marketId, outcome, emit);
    },
    onClosed: (token) => forgetToken(state, token, emit),
  };
}

const isBook = (value: unknown): value is JsonObject =>
  isJsonObject(value) && 'asset_id' in value && ('bids' in value || 'asks' in value);

/** True for the answer of `GET /book`, which is one book, or of `POST /books`, a list of them. */
function isBookAnswer(answer: unknown): answer is JsonObject | JsonObject[] {
  return Array.isArray(answer) ? answer.length > 0 && answer.some(isBook) : isBook(answer);
}

function onBookAnswer(
  state: VenueBState,
  answer: JsonObject | JsonObject[],
  { key, receivedAt }: StageRecord<RawEnvelope>,
  emit: Emit,
): void {
  for (const value of Array.isArray(answer) ? answer : [answer]) {
    try {
      if (!isBook(value)) throw new MalformedError(MALFORMED_FRAME, 'an entry of the list is not a book');
      const source = { feed: key, marketId: marketOf(value), ts: timeOf(value), receivedAt };
      const evicted = applyAnswer(state.books, readBook(value), source, emit);
      if (evicted !== null) forgetToken(state, evicted, emit);
    } catch (error) {
      rejectMalformed(error, MALFORMED_FRAME, emit);
    }
  }
}
