/** Compares both books of a recorded game with the service's own, level by level at given moments. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyBookUpdate, type Book, createBook } from '#schemas/domain/book';
import { formatDecimal } from '#schemas/domain/decimal';
import { type BookUpdate, bookTopics } from '#schemas/topics/normalised';
import { createCodec } from '../../../codec/create-codec.ts';
import { openLogRegistry } from '../../../codec/log-registry.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { runCommand } from './command.ts';
import { RECORDINGS_MISSING, readLines, recording } from './recordings.ts';
import { eventually, get, startService, temporaryFolder, untilIdle } from './service.ts';

const NAME = 'venue_b-mlb-2025-06-19';
/** Moments in the recording, as fractions of its duration. */
const MOMENTS = [0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1];

interface Frame {
  readonly event_type?: string;
  readonly asset_id: string;
  readonly bids?: readonly PlainLevel[];
  readonly asks?: readonly PlainLevel[];
  readonly changes?: readonly (PlainLevel & { readonly side: 'BUY' | 'SELL' })[];
}
interface PlainLevel {
  readonly price: string;
  readonly size: string;
}

function recordedFrames(): { at: number; frame: Frame }[] {
  return readLines(recording(NAME), 'clob_ws').flatMap(({ at, data }) =>
    (Array.isArray(data) ? (data as Frame[]) : [data as Frame]).map((frame) => ({ at, frame })),
  );
}

/** Price to size of both sides of one token, computed naively from the recorded frames up to a moment. */
function plainBook(frames: readonly { at: number; frame: Frame }[], token: string, moment: number) {
  const sides = { bids: new Map<number, number>(), asks: new Map<number, number>() };
  for (const { at, frame } of frames) {
    if (at > moment || frame.asset_id !== token) continue;
    if (frame.bids && frame.asks) {
      sides.bids = new Map(frame.bids.map(({ price, size }) => [Number(price), Number(size)]));
      sides.asks = new Map(frame.asks.map(({ price, size }) => [Number(price), Number(size)]));
    }
    for (const { price, size, side } of frame.changes ?? []) {
      const levels = side === 'BUY' ? sides.bids : sides.asks;
      if (Number(size) === 0) levels.delete(Number(price));
      else levels.set(Number(price), Number(size));
    }
  }
  const sorted = (levels: Map<number, number>, sign: 1 | -1) =>
    [...levels].filter(([, size]) => size > 0).sort(([a], [b]) => sign * (a - b));
  return { bids: sorted(sides.bids, -1), asks: sorted(sides.asks, 1) };
}

const plain = (book: Book) => {
  const side = (levels: Book['bids']) =>
    levels.map(({ price, size }) => [Number(formatDecimal(price)), Number(formatDecimal(size))]);
  return { bids: side(book.bids), asks: side(book.asks) };
};

async function readBookUpdates(dataDir: string): Promise<BookUpdate[]> {
  const log = await openEmbeddedLog({ path: join(dataDir, 'log') });
  try {
    const topic = bookTopics.venue_b;
    const codec = createCodec(await openLogRegistry(log));
    await codec.prepare([topic]);
    const updates: BookUpdate[] = [];
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      await readPartition(
        log,
        { topic: topic.name, partition },
        ({ value }) => void updates.push(codec.decode(topic, value!)),
      );
    }
    return updates;
  } finally {
    await log.close();
  }
}

describe.skipIf(RECORDINGS_MISSING)(`the books of a recorded game ${RECORDINGS_MISSING ?? ''}`, () => {
  const folder = temporaryFolder('parallax-books');
  let updates: BookUpdate[];

  beforeAll(async () => {
    const service = await startService({ dataDir: folder.path, flags: ['--venues', `recording:${recording(NAME)}`] });
    await eventually(
      () => get<{ playback?: string }>(service, '/health'),
      (health) => health.playback === 'ended',
    );
    await untilIdle(service);
    expect(await service.stop()).toBe(0);
    expect(await runCommand('replay', ['--data-dir', folder.path, '--verify', '--json'])).toMatchObject({
      code: 0,
      out: '{"differences":[],"pending":{}}\n',
    });
    updates = await readBookUpdates(folder.path);
  });
  afterAll(() => folder.remove());

  it('equal the recorded ones, level by level, at every given moment', () => {
    const frames = recordedFrames();
    const tokens = [...new Set(frames.map(({ frame }) => frame.asset_id))];
    expect(tokens).toHaveLength(2);
    const [first, last] = [frames[0]!.at, frames.at(-1)!.at];
    for (const moment of MOMENTS.map((share) => first + Math.round(share * (last - first)))) {
      for (const token of tokens) {
        const book = createBook();
        for (const update of updates) {
          if (update.instrument === token && update.receivedAt <= moment) applyBookUpdate(book, update);
        }
        const expected = plainBook(frames, token, moment);
        expect(expected.bids.length + expected.asks.length).toBeGreaterThan(10);
        expect(plain(book)).toEqual(expected);
      }
    }
  });

  it('equal the recorded ones on REST after a restart', async () => {
    const frames = recordedFrames();
    const service = await startService({ dataDir: folder.path, flags: ['--venues', `recording:${recording(NAME)}`] });
    try {
      const { events } = await get<{ events: { universalId: string; links: { tokens: { yes: string } }[] }[] }>(
        service,
        '/v1/events',
      );
      const [{ universalId, links }] = events as [(typeof events)[number]];
      const { books } = await get<{ books: Record<'bids' | 'asks', { price: number; size: number }[]>[] }>(
        service,
        `/v1/events/${universalId}/books?depth=100`,
      );
      const expected = plainBook(frames, links[0]!.tokens.yes, frames.at(-1)!.at);
      const pairs = (levels: { price: number; size: number }[]) => levels.map(({ price, size }) => [price, size]);
      expect(books.map(({ bids, asks }) => ({ bids: pairs(bids), asks: pairs(asks) }))).toEqual([expected]);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });
});
