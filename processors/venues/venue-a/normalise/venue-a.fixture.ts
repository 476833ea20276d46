/** Drives the venue_a stage with messages of the venue. Coins, prices and addresses are invented. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseRecordingLine } from '#schemas/domain/recording';
import type { RawChannelFrame } from '#schemas/topics/channels';
import { clockTopic } from '#schemas/topics/control';
import { type FeedEvent, feedTopics, type RawEnvelope, rawTopic, rawTopics } from '#schemas/topics/raw';
import { driveStage, type StageDriver } from '../../../testing/drive-stage.fixture.ts';
import { createVenueAStage } from './stage.ts';
import type { VenueAState } from './state.ts';

export const START = 1_900_000_000_000;
export const BUYER = `0x${'b1'.repeat(20)}`;
export const SELLER = `0x${'5e'.repeat(20)}`;
export const NO_HASH = `0x${'0'.repeat(64)}`;

const WS = rawTopic('venue_a', 'ws');
const INFO = rawTopic('venue_a', 'info');

export interface VenueADriver {
  readonly stage: StageDriver<VenueAState>;
  /** Sends a frame in the venue's form, `at` ms after START. */
  frame(channel: string, data: unknown, at?: number, feed?: string): void;
  /** Sends any text as a frame. */
  text(text: string, at?: number, feed?: string): void;
  /** Sends an `info` answer. */
  answer(request: unknown, body: unknown, at?: number): void;
  feedEvent(kind: FeedEvent['kind'], at: number, feed?: string, coins?: readonly string[]): void;
  /** Returns the payload of a frame as a subscriber gets it. */
  payloadOf(frame: RawChannelFrame): string;
  clock(at: number, marks?: { hour?: boolean; day?: boolean }): void;
}

export function driveVenueA(outcomeTakerFeeRate = '0.00070'): VenueADriver {
  const stage = driveStage(createVenueAStage({ outcomeTakerFeeRate }));
  const texts: string[] = [];
  const text: VenueADriver['text'] = (written, at = 0, feed = 'venue_a.ws.1') => {
    const place = { key: feed, partition: 2, offset: texts.push(written) - 1 };
    stage.feed(WS, envelope('ws', feed, START + at, null, written), place);
  };
  return {
    stage,
    text,
    frame: (channel, data, at, feed) => text(JSON.stringify({ channel, data }), at, feed),
    answer(request, body, at = 0) {
      const requestText = typeof request === 'string' || request === null ? request : JSON.stringify(request);
      const bodyText = typeof body === 'string' ? body : JSON.stringify(body);
      stage.feed(INFO, envelope('info', 'info-1', START + at, requestText, bodyText), { key: 'info-1' });
    },
    payloadOf({ topic, partition, offset, start, length }) {
      if (topic !== WS.name || partition !== 2) throw new Error(`${topic}/${partition} has no frames`);
      return texts[offset]!.slice(start, start + length);
    },
    feedEvent: (kind, at, feed = 'venue_a.ws.1', coins = []) =>
      stage.feed(feedTopics.venue_a, { provider: 'venue_a', feed, receivedAt: START + at, kind, reason: null, coins }),
    clock: (at, { hour = false, day = false } = {}) =>
      stage.feed(clockTopic, { receivedAt: START + at, tick: true, hour, day }),
  };
}

function envelope(
  stream: string,
  key: string,
  receivedAt: number,
  request: string | null,
  payload: string,
): RawEnvelope {
  return { provider: 'venue_a', stream, key, receivedAt, request, requestedAt: null, payload: Buffer.from(payload) };
}

/** Builds a trade in the venue's form. */
export function trade(change: Record<string, unknown> = {}): Record<string, unknown> {
  const base = { coin: 'BTC', side: 'B', px: '70100.0', sz: '0.250', time: START, hash: NO_HASH, tid: 11 };
  return { ...base, users: [BUYER, SELLER], ...change };
}

/** Builds `{coin, time, levels}` from `[price, size]` pairs. */
export function bookOf(
  coin: string,
  bids: readonly (readonly [string, string])[],
  asks: readonly (readonly [string, string])[],
  time = START,
): Record<string, unknown> {
  const side = (levels: readonly (readonly [string, string])[]) => levels.map(([px, sz]) => ({ px, sz, n: 2 }));
  return { coin, time, levels: [side(bids), side(asks)] };
}

/** Reads the raw records of a recording of this venue, in the order of playback. */
export function recordedEnvelopes(folder: string): { source: string; envelope: RawEnvelope }[] {
  const files = readdirSync(folder).filter((name) => /\.ndjson(\.gz)?$/.test(name));
  const lines = files.sort().flatMap((file) => {
    const bytes = readFileSync(join(folder, file));
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    return text
      .trimEnd()
      .split('\n')
      .map((line, at) => parseRecordingLine(line, { file, line: at + 1 }));
  });
  // The sort is stable, so records with equal times stay in the order of the files.
  return lines
    .sort((a, b) => a.at - b.at)
    .map(({ at, source, stream, request, payload }) => ({
      source,
      envelope: envelope(stream, source, at, request, payload),
    }));
}

/** Plays raw records through the stage. */
export function playEnvelopes(driver: StageDriver<VenueAState>, records: readonly { envelope: RawEnvelope }[]): void {
  for (const { envelope: record } of records) {
    driver.feed(rawTopics.get(`raw.venue_a.${record.stream}`)!, record, { key: record.key });
  }
}
