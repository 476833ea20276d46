/** REST answers of the catalog (gamma) and of the CLOB: markets, and books where no socket carries one. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import type { RawEnvelope } from '#schemas/topics/raw';
import { forgetToken } from './book-status.ts';
import { takeCatalogAnswer } from './catalog.ts';
import { isJsonObject, type JsonObject, parseJson } from './fields.ts';
import { placeLate } from './late-fills.ts';
import { MalformedError } from './malformed-error.ts';
import { marketOf, readBook, timeOf } from './messages.ts';
import { lateOf, type VenueBState } from './state.ts';
import { takeAnswer } from './token-books.ts';
import { placePhases } from './told-phases.ts';
import { placeTrades } from './told-trades.ts';

/** Takes one answer of `raw.venue_b.gamma` or `raw.venue_b.clob`. What was asked does not matter, only what is there. */
export function onAnswer(state: VenueBState, event: StageEvent<RawEnvelope>, emit: Emit): void {
  try {
    const answer = parseJson(event.value.payload.toString());
    if (isBookAnswer(answer)) onBookAnswer(state, answer, event, emit);
    else onCatalogAnswer(state, answer, event.receivedAt, emit);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    emit.dead(error.code, error.message);
  }
}

function onCatalogAnswer(state: VenueBState, answer: unknown, receivedAt: number, emit: Emit): void {
  takeCatalogAnswer(state.catalog, answer, receivedAt, emit, {
    onMarket: (marketId, names) => placePhases(state.phases, marketId, names, emit),
    onPlaced: (token, { marketId, outcome }) => {
      placeTrades(state.told, token, marketId, outcome, emit);
      placeLate(lateOf(state), token, marketId, outcome, emit);
    },
    onClosed: (token) => forgetToken(state, token, emit),
  });
}

const isBook = (value: unknown): value is JsonObject =>
  isJsonObject(value) && 'asset_id' in value && ('bids' in value || 'asks' in value);

/** `GET /book` answers one book, `POST /books` a list of them. */
function isBookAnswer(answer: unknown): answer is JsonObject | JsonObject[] {
  return Array.isArray(answer) ? answer.length > 0 && answer.some(isBook) : isBook(answer);
}

function onBookAnswer(
  state: VenueBState,
  answer: JsonObject | JsonObject[],
  { key, receivedAt }: StageEvent<RawEnvelope>,
  emit: Emit,
): void {
  for (const value of Array.isArray(answer) ? answer : [answer]) {
    try {
      if (!isBook(value)) throw new MalformedError('malformed_frame', 'no book among books');
      const source = { feed: key, marketId: marketOf(value), ts: timeOf(value), receivedAt };
      const evicted = takeAnswer(state.books, readBook(value), source, emit);
      if (evicted !== null) forgetToken(state, evicted, emit);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      emit.dead(error.code, error.message);
    }
  }
}
