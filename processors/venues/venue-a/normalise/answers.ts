/** Handles answers of `info` (venue page, sections 3.1 and 3.5). Each is read completely before anything is emitted. */

import type { Emit } from '#infra/stages/stage';
import { asText, type JsonObject, parseJsonOrNull, readList, readObject } from '#schemas/domain/json-fields';
import { venueCandleTopics } from '#schemas/topics/candles';
import type { RawEnvelope } from '#schemas/topics/raw';
import { readBook } from '#schemas/venues/venue-a/book';
import { readSnapshot, readSnapshotRequest } from '#schemas/venues/venue-a/candle-snapshot';
import { providerOf } from '#schemas/venues/venue-a/coin-market';
import { FILL_REQUESTS } from '#schemas/venues/venue-a/fills';
import { readTrades } from '#schemas/venues/venue-a/trades';
import { parseJson } from '../../shared/malformed.ts';
import { emitFillPage } from './account-fills.ts';
import { ACCOUNT_RESPONSES, processAccountResponse } from './account-responses.ts';
import { setCollateralToken, setPairTokens } from './account-state.ts';
import { emitBarRange, isStated } from './bar-ranges.ts';
import { emitBook, isOutdated } from './books.ts';
import { emitContexts, emitMids, readAlignedContexts, readMids, readNamedContexts } from './contexts.ts';
import { gapContext } from './gap-context.ts';
import { emitGone, emitInstruments, type InstrumentMessage } from './instruments.ts';
import { parseRequest } from './messages.ts';
import { readOutcomeMeta } from './outcome-messages.ts';
import { openCoins } from './outcome-state.ts';
import { markUnresolved, processOutcomeMeta } from './outcomes.ts';
import { emitPairs, readSpots } from './pairs.ts';
import { emitPerpDexes, readPerpDexes } from './perp-dexes.ts';
import { dexOf, readPerps, storeUniverse } from './perps.ts';
import { processSettledOutcome, readSettledOutcome } from './settlements.ts';
import { emitSpotContexts } from './spot-contexts.ts';
import type { VenueAState } from './state.ts';
import { outcomesListed, recentTradesListed } from './trade-gaps.ts';
import { emitTrades } from './trades.ts';

/** One answer with everything that handling it needs. */
interface Answer {
  readonly state: VenueAState;
  readonly request: JsonObject;
  readonly body: unknown;
  readonly feed: string;
  readonly receivedAt: number;
  /** When the request was sent, unix ms; null where the record does not state it. */
  readonly requestedAt: number | null;
  readonly takerFeeRate: string;
  readonly emit: Emit;
}

type AnswerHandler = (answer: Answer) => void;

/** Handlers by request type. Answers of other types contain nothing that is stored, such as most about accounts in a recording. */
const ANSWERS: Readonly<Record<string, AnswerHandler>> = {
  meta(answer) {
    processPerps(answer, requestedDex(answer.request), readPerps(answer.body, 'answer'));
    setCollateralToken(answer.state.accountMarkets, requestedDex(answer.request), answer.body);
  },
  allPerpMetas: processAllPerps,
  metaAndAssetCtxs: processPerpsWithContexts,
  spotMeta({ state, body, receivedAt, emit }) {
    emitPairs(state, readSpots(body, 'answer'), receivedAt, emit);
    setPairTokens(state.accountMarkets, body);
  },
  spotMetaAndAssetCtxs: processSpotsWithContexts,
  perpDexs({ state, body, receivedAt, emit }) {
    const dexes = readPerpDexes(body, 'answer');
    emitPerpDexes(state, dexes, receivedAt, emit);
    state.accountMarkets.dexes = ['', ...dexes.map(({ name }) => name)];
  },
  ...Object.fromEntries(ACCOUNT_RESPONSES.map((type) => [type, processAccountResponse])),
  allMids: ({ state, body, receivedAt, emit }) =>
    emitMids(state, readMids(state, readObject(body, 'answer'), 'answer'), receivedAt, emit),
  l2Book: processBook,
  recentTrades: processRecentTrades,
  candleSnapshot: processCandles,
  [FILL_REQUESTS.orders]: (answer) => emitFillPage('orders', answer),
  [FILL_REQUESTS.twaps]: (answer) => emitFillPage('twaps', answer),
  settledOutcome: ({ state, body, receivedAt, takerFeeRate, emit }) =>
    processSettledOutcome(state.outcomes, readSettledOutcome(body, 'answer'), { takerFeeRate, receivedAt, emit }),
  outcomeMeta({ state, body, receivedAt, takerFeeRate, emit }) {
    processOutcomeMeta(state.outcomes, readOutcomeMeta(body, 'answer'), { takerFeeRate, receivedAt, emit });
    outcomesListed(gapContext(state, receivedAt, emit), openCoins(state.outcomes), true);
  },
};

/** Handles one answer. Throws `MalformedError` or `FieldError` before anything is emitted or changed. */
export function processAnswer(
  state: VenueAState,
  envelope: RawEnvelope,
  feed: string,
  takerFeeRate: string,
  emit: Emit,
): void {
  const request = parseRequest(envelope.request);
  const handle = Object.hasOwn(ANSWERS, request.type) ? ANSWERS[request.type] : undefined;
  if (!handle) return;
  const text = envelope.payload.toString();
  if (handle === processAccountResponse) {
    // An acquisition fails as a whole, so each of its responses counts, whatever it is.
    const body = parseJsonOrNull(text);
    processAccountResponse({ state, request, body, feed, receivedAt: envelope.receivedAt, emit });
    return;
  }
  const body = parseJson(text, 'malformed_answer');
  // The venue answers null for unknown things, and for the settlement of an outcome that is not resolved yet.
  if (body === null) {
    if (request.type === 'settledOutcome') markUnresolved(state.outcomes, Number(request.outcome), envelope.receivedAt);
    return;
  }
  const { receivedAt, requestedAt } = envelope;
  handle({ state, request, body, feed, receivedAt, requestedAt, takerFeeRate, emit });
}

function processCandles({ state, request, body, receivedAt, emit }: Answer): void {
  const requested = readSnapshotRequest(request);
  if (!requested) return;
  const { coin } = requested;
  const isListed = gapContext(state, receivedAt, emit).endOf(coin) === null;
  const market = { provider: providerOf(coin), isListed };
  const { bars, range, closedUntil } = readSnapshot(market, requested, body, receivedAt);
  for (const bar of bars) {
    // A late response must not replace the closed bar by the one that was in progress when it was requested.
    const isReplaced = bar.openTime >= closedUntil && isStated(state.barRanges, bar);
    if (!isReplaced) emit(venueCandleTopics.venue_a, coin, bar);
  }
  if (range) emitBarRange(state.barRanges, range, emit);
}

function processRecentTrades({ state, body, receivedAt, emit }: Answer): void {
  // The venue lists the newest trade first.
  const trades = [...readTrades(body)].reverse();
  recentTradesListed(gapContext(state, receivedAt, emit), trades);
  emitTrades(state, trades, receivedAt, emit);
}

/** Returns the dex of the request; `` is the main one. */
function requestedDex(request: JsonObject): string {
  return asText(request.dex) ?? '';
}

function processPerps({ state, receivedAt, emit }: Answer, dex: string, coins: readonly InstrumentMessage[]): void {
  storeUniverse(state, dex, coins);
  emitInstruments(state, coins, receivedAt, emit);
}

/**
 * Handles one entry per dex, the main one first: its `meta`, or in some documents the pair of `meta` and contexts. It is
 * the complete list of contracts. The universe of a dex keeps those that are delisted, so only a dex that ended, or a node
 * that lags behind, lacks one.
 */
function processAllPerps(answer: Answer): void {
  const metas = readList(answer.body, 'answer').map((entry): unknown => (Array.isArray(entry) ? entry[0] : entry));
  const dexes = metas.map((meta, at) => readPerps(meta, `answer[${at}]`));
  for (const [at, coins] of dexes.entries()) {
    const dex = at === 0 ? '' : dexOf(coins[0]?.coin ?? '');
    // A builder dex without coins cannot be identified, and there is nothing to emit for it.
    if (at > 0 && dex === '') continue;
    processPerps(answer, dex, coins);
    setCollateralToken(answer.state.accountMarkets, dex, metas[at]);
  }
  const { state, receivedAt, emit } = answer;
  emitGone(state, 'contracts', ({ dex }) => dex !== null, dexes.slice(1).flat(), receivedAt, emit);
}

function processPerpsWithContexts(answer: Answer): void {
  const [meta, contexts] = readPair(answer.body);
  const coins = readPerps(meta, 'answer[0]');
  const names = coins.map(({ coin }) => coin);
  const figures = readAlignedContexts(names, contexts, 'answer[1]');
  processPerps(answer, requestedDex(answer.request), coins);
  setCollateralToken(answer.state.accountMarkets, requestedDex(answer.request), meta);
  emitContexts(answer.state, figures, answer.receivedAt, answer.emit);
}

function processSpotsWithContexts({ state, body, receivedAt, emit }: Answer): void {
  const [meta, contexts] = readPair(body);
  const pairs = readSpots(meta, 'answer[0]');
  const figures = readNamedContexts(contexts, 'answer[1]');
  emitPairs(state, pairs, receivedAt, emit);
  setPairTokens(state.accountMarkets, meta);
  emitSpotContexts(state, figures, receivedAt, emit);
}

function readPair(body: unknown): readonly [unknown, unknown] {
  const pair = readList(body, 'answer');
  return [pair[0], pair[1]];
}

function processBook({ state, request, body, feed, receivedAt, emit }: Answer): void {
  // Levels that are aggregated by significant figures are not levels of the book.
  if (typeof request.nSigFigs === 'number') return;
  const book = readBook(body);
  if (!isOutdated(state, book)) emitBook(state, book, feed, receivedAt, emit);
}
