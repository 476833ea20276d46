/** Handles frames of the socket (venue page, section 7). Each is read completely before anything is emitted. */

import type { Emit, StageRecord } from '#infra/stages/stage';
import { asText, isJsonObject, readList, readObject, readText } from '#schemas/domain/json-fields';
import type { RawEnvelope } from '#schemas/topics/raw';
import { type BookMessage, readBook } from '#schemas/venues/venue-a/book';
import { marketOf, providerOf } from '#schemas/venues/venue-a/coin-market';
import { readTrades } from '#schemas/venues/venue-a/trades';
import type { TextPiece } from '../../../shared/emit-raw.ts';
import type { Liveness } from '../../shared/liveness.ts';
import { emitSubscribedFills } from './account-fills.ts';
import { emitBook } from './books.ts';
import {
  type CoinFigures,
  emitContexts,
  emitMids,
  readActiveContext,
  readAlignedContexts,
  readMids,
  readNamedContexts,
} from './contexts.ts';
import { gapContext } from './gap-context.ts';
import { type Frame, parseFrame, splitFrame } from './messages.ts';
import { readOutcomeUpdates } from './outcome-messages.ts';
import { openCoins } from './outcome-state.ts';
import { processOutcomeUpdate } from './outcomes.ts';
import { emitBookFrame, emitMidsFrame, emitOutcomeFrame } from './raw-feeds.ts';
import { scanBook } from './scan-book.ts';
import { emitSpotContexts } from './spot-contexts.ts';
import type { VenueAState } from './state.ts';
import { outcomesListed, subscribed, tradesReceived, unsubscribed } from './trade-gaps.ts';
import { emitTrades } from './trades.ts';

/** For this long after connecting, a socket may still send what happened before. */
const CATCH_UP_MS = 30_000;

/** Everything that handling a frame needs. */
export interface FrameContext {
  readonly state: VenueAState;
  /** The record that contains the frame. */
  readonly record: StageRecord<RawEnvelope>;
  /** The connection that carried the frame. */
  readonly feed: string;
  readonly receivedAt: number;
  readonly takerFeeRate: string;
  readonly liveness: Liveness;
  readonly emit: Emit;
}

const BOOKS = 'l2Book';
const SPOT_CONTEXT = 'activeSpotAssetCtx';

type FrameHandler = (frame: Frame, context: FrameContext) => void;

/** Handlers by channel. Pongs, errors and other channels only prove that the connection is alive. */
const CHANNELS: ReadonlyMap<string, FrameHandler> = new Map<string, FrameHandler>([
  [BOOKS, processBookFrame],
  ['trades', processTradesFrame],
  ['subscriptionResponse', processAcknowledgement],
  ['allMids', processMidsFrame],
  ['activeAssetCtx', processActiveContext],
  [SPOT_CONTEXT, processActiveContext],
  ['assetCtxs', processDexContexts],
  ['allDexsAssetCtxs', processAllDexContexts],
  ['spotAssetCtxs', processSpotContexts],
  ['outcomeMetaUpdates', processOutcomeUpdates],
  ['userFills', ({ data }, { state, receivedAt, emit }) => emitSubscribedFills(state, data, receivedAt, emit)],
]);

/** Handles one frame. Throws `MalformedError` or `FieldError` before anything is emitted or changed. */
export function processFrame(context: FrameContext): void {
  const text = context.record.value.payload.toString();
  const parts = splitFrame(text);
  const book = parts?.channel === BOOKS ? scanBook(text, parts.piece) : null;
  if (book) {
    processBook(book, parts!.piece, context);
    return;
  }
  const frame = parseFrame(text);
  if (frame) CHANNELS.get(frame.channel)?.(frame, context);
}

function processBookFrame(frame: Frame, context: FrameContext): void {
  processBook(readBook(frame.data), frame.piece, context);
}

function processBook(book: BookMessage, piece: TextPiece, context: FrameContext): void {
  const { state, feed, receivedAt, liveness, emit } = context;
  const { coin } = book;
  emitBook(state, book, feed, receivedAt, emit);
  const source = { provider: providerOf(coin), instrument: coin, marketId: marketOf(coin), feed };
  liveness.bookReceived(state.liveness, source, receivedAt, emit);
  emitBookFrame({ ...context, piece }, coin);
}

function processTradesFrame(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const trades = readTrades(frame.data);
  tradesReceived(gapContext(state, receivedAt, emit), context.feed, trades);
  emitTrades(state, trades, receivedAt, emit);
  emitOutcomeFrame({ ...context, piece: frame.piece }, trades);
}

/** Handles the acknowledgement of a subscription; only those of trades change anything. */
function processAcknowledgement(frame: Frame, context: FrameContext): void {
  const { method, subscription } = readObject(frame.data, 'data');
  if (!isJsonObject(subscription) || subscription.type !== 'trades') return;
  const name = readText(subscription.coin, 'data.subscription.coin');
  const { state, feed, receivedAt, liveness, emit } = context;
  const gaps = gapContext(state, receivedAt, emit);
  if (method === 'subscribe')
    subscribed(gaps, name, feed, (other) => liveness.lastFrameAt(state.liveness, other) ?? receivedAt);
  else if (method === 'unsubscribe') unsubscribed(gaps, name, feed);
}

function processMidsFrame(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const { mids, dex } = readObject(frame.data, 'data');
  const byCoin = readObject(mids, 'data.mids');
  emitMids(state, readMids(state, byCoin, 'data.mids'), receivedAt, emit);
  const provider = asText(dex) !== null ? 'venue_a_dex' : 'venue_a_perp';
  emitMidsFrame({ ...context, piece: frame.piece }, provider, Object.keys(byCoin));
}

function processActiveContext(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const contexts = readActiveContext(frame.data);
  if (frame.channel === SPOT_CONTEXT) emitSpotContexts(state, contexts, receivedAt, emit);
  else emitContexts(state, contexts, receivedAt, emit);
  const coins = contexts.map(([coin]) => ({ coin }));
  emitOutcomeFrame({ ...context, piece: frame.piece }, coins);
}

function processDexContexts(frame: Frame, { state, receivedAt, emit }: FrameContext): void {
  const { dex, ctxs } = readObject(frame.data, 'data');
  emitContexts(state, readDex(state, dex, ctxs, 'data.ctxs'), receivedAt, emit);
}

function processAllDexContexts(frame: Frame, { state, receivedAt, emit }: FrameContext): void {
  const { ctxs } = readObject(frame.data, 'data');
  const dexes = readList(ctxs, 'data.ctxs').map((entry, at) => {
    const [dex, contexts] = readList(entry, `data.ctxs[${at}]`);
    return readDex(state, dex, contexts, `data.ctxs[${at}][1]`);
  });
  for (const contexts of dexes) emitContexts(state, contexts, receivedAt, emit);
}

/** Reads the contexts of a dex; none if its universe is unknown, since contexts match by position. */
function readDex(state: VenueAState, dex: unknown, contexts: unknown, field: string): CoinFigures {
  const name = dex === undefined || dex === '' ? '' : readText(dex, 'dex');
  return readAlignedContexts(state.universes.get(name) ?? [], contexts, field);
}

function processSpotContexts(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const contexts = readNamedContexts(frame.data, 'data');
  emitSpotContexts(state, contexts, receivedAt, emit);
  const coins = contexts.map(([coin]) => ({ coin }));
  emitOutcomeFrame({ ...context, piece: frame.piece }, coins);
}

function processOutcomeUpdates(frame: Frame, { state, feed, receivedAt, takerFeeRate, emit }: FrameContext): void {
  const updates = readOutcomeUpdates(frame.data);
  const connectedAt = state.connectedAt.get(feed);
  const isTimely = connectedAt !== undefined && receivedAt - connectedAt >= CATCH_UP_MS;
  for (const update of updates)
    processOutcomeUpdate(state.outcomes, update, { takerFeeRate, receivedAt, emit }, isTimely);
  if (updates.some(({ kind }) => kind === 'created'))
    outcomesListed(gapContext(state, receivedAt, emit), openCoins(state.outcomes), false);
}
