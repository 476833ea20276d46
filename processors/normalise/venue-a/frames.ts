/** What the frames of a socket tell (venue page, section 7). Each is read whole before anything is told. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import type { RawEnvelope } from '#schemas/topics/raw';
import type { TextPiece } from '../../shared/tell-raw.ts';
import type { Liveness } from '../shared/liveness.ts';
import { type BookMessage, readBook, tellBook } from './books.ts';
import { marketOf, providerOf } from './coins.ts';
import {
  type CoinFigures,
  readActiveContext,
  readAlignedContexts,
  readMids,
  readSpotContexts,
  tellContexts,
  tellMids,
} from './contexts.ts';
import { readList, readObject, readText } from './fields.ts';
import { cutFrame, type Frame, parseFrame } from './messages.ts';
import { readOutcomeUpdates } from './outcome-messages.ts';
import { takeOutcomeUpdate } from './outcomes.ts';
import { tellBookFrame, tellMidsFrame, tellOutcomeFrame } from './raw-feeds.ts';
import { scanBook } from './scan-book.ts';
import type { VenueAState } from './state.ts';
import { readTrades, tellTrades } from './trades.ts';

/** A new connection may be told so long of what happened before it. */
export const PAST_TOLD_WITHIN_MS = 30_000;

/** What a frame is taken with. */
export interface FrameContext {
  readonly state: VenueAState;
  /** The record that it stands in. */
  readonly record: StageEvent<RawEnvelope>;
  /** The connection that it came over. */
  readonly feed: string;
  readonly receivedAt: number;
  readonly takerFeeRate: string;
  readonly liveness: Liveness;
  readonly emit: Emit;
}

const BOOKS = 'l2Book';

type TakeFrame = (frame: Frame, context: FrameContext) => void;

/** By channel. Acknowledgements, pongs, errors and channels of no use here are signs of life and no more. */
const CHANNELS: ReadonlyMap<string, TakeFrame> = new Map<string, TakeFrame>([
  [BOOKS, takeBookFrame],
  ['trades', takeTradesFrame],
  ['allMids', takeMidsFrame],
  ['activeAssetCtx', takeActiveContext],
  ['activeSpotAssetCtx', takeActiveContext],
  ['assetCtxs', takeDexContexts],
  ['allDexsAssetCtxs', takeAllDexContexts],
  ['spotAssetCtxs', takeSpotContexts],
  ['outcomeMetaUpdates', takeOutcomeUpdates],
]);

/** Throws `MalformedError` or `FieldError`, and then nothing was told and nothing changed. */
export function takeFrame(context: FrameContext): void {
  const text = context.record.value.payload.toString();
  const cut = cutFrame(text);
  const book = cut?.channel === BOOKS ? scanBook(text, cut.piece) : null;
  if (book) {
    takeBook(book, cut!.piece, context);
    return;
  }
  const frame = parseFrame(text);
  if (frame) CHANNELS.get(frame.channel)?.(frame, context);
}

function takeBookFrame(frame: Frame, context: FrameContext): void {
  takeBook(readBook(frame.data), frame.piece, context);
}

function takeBook(book: BookMessage, piece: TextPiece, context: FrameContext): void {
  const { state, feed, receivedAt, liveness, emit } = context;
  const { coin } = book;
  tellBook(state, book, feed, receivedAt, emit);
  const source = { provider: providerOf(coin), instrument: coin, marketId: marketOf(coin), feed };
  liveness.bookReceived(state.liveness, source, receivedAt, emit);
  tellBookFrame({ ...context, piece }, coin);
}

function takeTradesFrame(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const trades = readTrades(frame.data);
  tellTrades(state, trades, receivedAt, emit);
  tellOutcomeFrame({ ...context, piece: frame.piece }, trades);
}

function takeMidsFrame(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const { mids, dex } = readObject(frame.data, 'data');
  const byCoin = readObject(mids, 'data.mids');
  tellMids(state, readMids(state, byCoin, 'data.mids'), receivedAt, emit);
  const provider = typeof dex === 'string' && dex !== '' ? 'venue_a_dex' : 'venue_a_perp';
  tellMidsFrame({ ...context, piece: frame.piece }, provider, Object.keys(byCoin));
}

function takeActiveContext(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const contexts = readActiveContext(frame.data);
  tellContexts(state, contexts, receivedAt, emit);
  const coins = contexts.map(([coin]) => ({ coin }));
  tellOutcomeFrame({ ...context, piece: frame.piece }, coins);
}

function takeDexContexts(frame: Frame, { state, receivedAt, emit }: FrameContext): void {
  const { dex, ctxs } = readObject(frame.data, 'data');
  tellContexts(state, readDex(state, dex, ctxs, 'data.ctxs'), receivedAt, emit);
}

function takeAllDexContexts(frame: Frame, { state, receivedAt, emit }: FrameContext): void {
  const { ctxs } = readObject(frame.data, 'data');
  const dexes = readList(ctxs, 'data.ctxs').map((entry, at) => {
    const [dex, contexts] = readList(entry, `data.ctxs[${at}]`);
    return readDex(state, dex, contexts, `data.ctxs[${at}][1]`);
  });
  for (const contexts of dexes) tellContexts(state, contexts, receivedAt, emit);
}

/** None while the universe of the dex is unknown, or told before a coin was listed: which is whose is unknown then. */
function readDex(state: VenueAState, dex: unknown, contexts: unknown, field: string): CoinFigures {
  const name = dex === undefined || dex === '' ? '' : readText(dex, 'dex');
  const universe = state.universes.get(name);
  if (universe?.length !== readList(contexts, field).length) return [];
  return readAlignedContexts(universe, contexts, field);
}

function takeSpotContexts(frame: Frame, context: FrameContext): void {
  const { state, receivedAt, emit } = context;
  const contexts = readSpotContexts(frame.data, 'data');
  tellContexts(state, contexts, receivedAt, emit);
  const coins = contexts.map(([coin]) => ({ coin }));
  tellOutcomeFrame({ ...context, piece: frame.piece }, coins);
}

function takeOutcomeUpdates(frame: Frame, { state, feed, receivedAt, takerFeeRate, emit }: FrameContext): void {
  const updates = readOutcomeUpdates(frame.data);
  const connectedAt = state.connectedAt.get(feed);
  const isTimely = connectedAt !== undefined && receivedAt - connectedAt >= PAST_TOLD_WITHIN_MS;
  for (const update of updates) takeOutcomeUpdate(state.outcomes, update, { takerFeeRate, receivedAt, emit }, isTimely);
}
