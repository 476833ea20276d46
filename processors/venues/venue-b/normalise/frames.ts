/** Frames of the market socket: forwarded on the raw channels of their tokens, and applied to books. */

import type { Emit, StageRecord } from '#infra/stages/stage';
import { asList, asObject, asText, type JsonObject, readObject, readText } from '#schemas/domain/json-fields';
import { jsonElements } from '#schemas/domain/json-members';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import type { RawEnvelope } from '#schemas/topics/raw';
import { emitRaw, type TextPiece } from '../../../shared/emit-raw.ts';
import { parseJson, rejectMalformed } from '../../shared/malformed.ts';
import { catalogEffects } from './answers.ts';
import { awaitSnapshot, forgetToken, liveness } from './book-status.ts';
import { endMarket } from './catalog.ts';
import {
  type BookDelta,
  MALFORMED_FRAME,
  marketOf,
  readBook,
  readPriceChange,
  readTickSize,
  timeOf,
  tokenOf,
} from './messages.ts';
import type { VenueBState } from './state.ts';
import { applyDelta, applySnapshot, applyTickSize, type FrameSource, invalidateBook } from './token-books.ts';

/** Answers to the heartbeat, which are plain text and no JSON. */
const HEARTBEATS = new Set(['PONG', 'PING']);
/** Event types that are forwarded on the channels of the tokens that they name. */
const CHANNEL_EVENTS = new Set(['price_change', 'last_trade_price', 'book']);

/** Handles one frame of `raw.venue_b.clob_ws`: one event, or a list of them. A bad event does not affect the others. */
export function onMarketFrame(state: VenueBState, record: StageRecord<RawEnvelope>, emit: Emit): void {
  liveness.frameReceived(state.liveness, record.key, record.receivedAt, emit);
  const text = record.value.payload.toString();
  if (HEARTBEATS.has(text)) return;
  try {
    const frame = parseJson(text);
    if (Array.isArray(frame)) processList(state, frame, text, record, emit);
    else processEvent(state, frame, { start: 0, length: text.length }, record, emit);
  } catch (error) {
    rejectMalformed(error, MALFORMED_FRAME, emit);
  }
}

function processList(
  state: VenueBState,
  entries: readonly unknown[],
  text: string,
  record: StageRecord<RawEnvelope>,
  emit: Emit,
): void {
  const pieces = jsonElements(text);
  for (const [at, entry] of entries.entries()) {
    const { start, end } = pieces[at]!;
    try {
      processEvent(state, entry, { start, length: end - start }, record, emit);
    } catch (error) {
      rejectMalformed(error, MALFORMED_FRAME, emit);
    }
  }
}

/** @param piece the position of the event in the frame. */
function processEvent(
  state: VenueBState,
  entry: unknown,
  piece: TextPiece,
  record: StageRecord<RawEnvelope>,
  emit: Emit,
): void {
  const { key, receivedAt } = record;
  const value = readObject(entry, 'event');
  const type = readText(value.event_type, 'event_type');
  if (CHANNEL_EVENTS.has(type)) emitToChannels(state, value, piece, record, emit);
  // The venue adds types without notice; other types do not change books.
  if (type === 'book') onBook(state, value, sourceOf(state, value, key, receivedAt), emit);
  else if (type === 'price_change') onPriceChange(state, value, sourceOf(state, value, key, receivedAt), emit);
  else if (type === 'tick_size_change') {
    const source = sourceOf(state, value, key, receivedAt);
    applyTickSize(state.books, tokenOf(value), readTickSize(value), source, emit);
  } else if (type === 'market_resolved') onResolved(state, value, receivedAt, emit);
}

/** The market is closed at the same moment: its last record states why its tokens have no status any more. */
function onResolved(state: VenueBState, value: JsonObject, receivedAt: number, emit: Emit): void {
  const marketId = marketOf(value);
  if (marketId !== null) endMarket(state.catalog, marketId, receivedAt, emit, catalogEffects(state, emit));
  for (const token of tokensOf(value)) forgetToken(state, token, emit);
}

function onBook(state: VenueBState, value: JsonObject, source: FrameSource, emit: Emit): void {
  const event = readBook(value);
  const evicted = applySnapshot(state.books, event, source, emit);
  const { feed, marketId, receivedAt } = source;
  const bookSource = { provider: 'venue_b', instrument: event.token, marketId, feed };
  liveness.bookReceived(state.liveness, bookSource, receivedAt, emit);
  if (evicted !== null) forgetToken(state, evicted, emit);
}

function onPriceChange(state: VenueBState, value: JsonObject, source: FrameSource, emit: Emit): void {
  for (const delta of readChanges(state, value, source, emit)) {
    if (!applyDelta(state.books, delta, source, emit)) awaitSnapshot(state, delta.token, source, emit);
  }
}

/** Reads the changes. If that fails, a change was missed: the books of the tokens that it names await a snapshot. */
function readChanges(state: VenueBState, value: JsonObject, source: FrameSource, emit: Emit): BookDelta[] {
  try {
    return readPriceChange(value);
  } catch (error) {
    for (const token of tokensOf(value)) {
      if (invalidateBook(state.books, token, source.feed)) awaitSnapshot(state, token, source, emit);
    }
    throw error;
  }
}

function sourceOf(state: VenueBState, value: JsonObject, feed: string, receivedAt: number): FrameSource {
  const marketId = marketOf(value) ?? state.catalog.tokens.get(String(value.asset_id))?.marketId ?? null;
  return { feed, marketId, ts: timeOf(value), receivedAt };
}

function emitToChannels(
  state: VenueBState,
  value: JsonObject,
  piece: TextPiece,
  record: StageRecord<RawEnvelope>,
  emit: Emit,
): void {
  const marketId = marketOf(value);
  for (const token of tokensOf(value)) {
    const channel = formatChannel({ kind: 'raw', provider: 'venue_b', instrument: token });
    emitRaw(state.channelSeqs, channelTopics.venue_b, emit, record, { channel, provider: 'venue_b', marketId, piece });
  }
}

/** Returns every token that an event names, once each, in order of appearance. */
function tokensOf(value: JsonObject): Set<string> {
  const tokens = new Set<string>();
  const add = (value: unknown) => {
    const token = asText(value);
    if (token !== null) tokens.add(token);
  };
  add(value.asset_id);
  for (const change of asList(value.price_changes)) add(asObject(change).asset_id);
  for (const token of asList(value.assets_ids)) add(token);
  return tokens;
}
