import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PART_TEXT_BYTES_MAX, partPayload } from '#schemas/domain/export-parts';
import { parseLeaderboardRows } from '#schemas/venues/venue-a/leaderboard-export';
import type { Received } from '../publisher/publisher.ts';
import { JoinedExports } from './joined-exports.ts';
import { compressExport, publishExport } from './publish-export.ts';
import { type Part, splitRows } from './split-rows.ts';

/** An export of rows whose names contain what looks like borders of rows. */
function exportOf(rows: number): { readonly text: string; readonly names: readonly string[] } {
  const names = Array.from({ length: rows }, (_, nth) => `row ${nth} "}]}\\",{"größer"`);
  const list = names.map((name) => ({ name, figures: [['day', { pnl: '1' }]] }));
  return { text: JSON.stringify({ leaderboardRows: list }).replaceAll('},{"name"', '},\n {"name"'), names };
}

async function partsOf(bytes: Buffer, chunkBytes: number): Promise<Part[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, nth) =>
    bytes.subarray(nth * chunkBytes, (nth + 1) * chunkBytes),
  );
  const parts: Part[] = [];
  for await (const part of splitRows(chunks)) parts.push(part);
  return parts;
}

describe('splitRows', () => {
  it('splits after rows only, and the parts together are the export', async () => {
    const { text, names } = exportOf(6_000);
    const parts = await partsOf(Buffer.from(text), 64 * 1024);
    expect(parts.length).toBeGreaterThan(3);
    expect(Buffer.concat(parts.map((part) => part.text)).toString()).toBe(text);
    const rows = parts.flatMap((part) => parseLeaderboardRows(part.text.toString(), part));
    expect(rows.map((row) => (row as { name: string }).name)).toEqual(names);
    expect(parts.map(({ isFirst }) => isFirst).lastIndexOf(true)).toBe(0);
    expect(parts.map(({ isLast }) => isLast).indexOf(true)).toBe(parts.length - 1);
  });

  it('gives the same parts however the bytes arrive', async () => {
    const bytes = Buffer.from(exportOf(3_000).text);
    const expected = (await partsOf(bytes, bytes.length)).map(({ text }) => text.toString());
    for (const chunkBytes of [7, 1_000, 131_072])
      expect((await partsOf(bytes, chunkBytes)).map(({ text }) => text.toString())).toEqual(expected);
  });

  it('splits text without rows at the size limit of a part', async () => {
    const bytes = Buffer.alloc(PART_TEXT_BYTES_MAX + 10, 'x');
    const parts = await partsOf(bytes, 100_000);
    expect(parts.map(({ text }) => text.length)).toEqual([PART_TEXT_BYTES_MAX, 10]);
  });
});

describe('parseLeaderboardRows', () => {
  it.each([
    ['{"leaderboardRows":[', SyntaxError],
    ['{"leaderboardRows":{}}', 'leaderboardRows: expected an array, got {}'],
    ['{"rows":[]}', 'leaderboardRows: expected an array, got nothing'],
    ['[]', 'leaderboardRows: expected an array, got nothing'],
  ])('refuses %s', (text, error) => {
    expect(() => parseLeaderboardRows(text, { isFirst: true, isLast: true })).toThrow(error);
  });
});

describe('publishExport', () => {
  it('publishes every part with its place and its compressed text, which together are the export', async () => {
    const { text } = exportOf(4_000);
    const published: Received[] = [];
    const parts = await compressExport([Buffer.from(text)]);
    await publishExport({ receive: (received) => void published.push(received) }, { source: 's', feed: 'f' }, parts);
    const payloads = published.map(({ payload }) => payload as Buffer);
    expect(payloads.map((payload) => [payload.readUInt32BE(0), payload.readUInt32BE(4)])).toEqual(
      parts.map((_, index) => [index, parts.length]),
    );
    expect(payloads.map((payload) => gunzipSync(payload.subarray(8)).toString()).join('')).toBe(text);
  });

  it('pauses between two parts, when they are compressed and when they are published', async () => {
    const pauses: number[] = [];
    let published = 0;
    const pause = async () => void pauses.push(published);
    const parts = await compressExport([Buffer.from(exportOf(4_000).text)], () => {}, pause);
    expect(parts.length).toBeGreaterThan(2);
    expect(pauses).toEqual(parts.map(() => 0));
    pauses.length = 0;
    const receive = () => {
      published += 1;
    };
    await publishExport({ receive }, { source: 's', feed: 'f' }, parts, pause);
    expect(pauses).toEqual(parts.slice(1).map((_, nth) => nth + 1));
    expect(published).toBe(parts.length);
  });

  it('ends with the error of a pause, as when the service stops, without the last part', async () => {
    const parts = await compressExport([Buffer.from(exportOf(4_000).text)]);
    const published: Received[] = [];
    const pause = async () => {
      if (published.length === parts.length - 1) throw new Error('closing');
    };
    const receive = (received: Received) => void published.push(received);
    const publishing = publishExport({ receive }, { source: 's', feed: 'f' }, parts, pause);
    await expect(publishing).rejects.toThrow('closing');
    expect(published).toHaveLength(parts.length - 1);
  });

  it('rejects with the error of a check, and of the chunks', async () => {
    const fail = () => {
      throw new Error('refused');
    };
    await expect(compressExport([Buffer.from('[]')], fail)).rejects.toThrow('refused');
    async function* cutOff() {
      yield Buffer.from('{"leaderboardRows":[');
      throw new Error('cut off');
    }
    await expect(compressExport(cutOff())).rejects.toThrow('cut off');
  });
});

describe('JoinedExports', () => {
  it('returns an export with the time of its first part once it is complete, and drops one with a missing part', async () => {
    const { text } = exportOf(4_000);
    const parts = await compressExport([Buffer.from(text)]);
    const envelopes = parts.map((compressed, index) => ({
      payload: partPayload({ index, count: parts.length }, compressed),
      receivedAt: 1_000 + index,
    }));
    const joined = new JoinedExports();
    const addAll = (list: typeof envelopes) => list.map((envelope) => joined.add('venue_a.stats', envelope));
    expect(addAll(envelopes.slice(1))).toEqual(envelopes.slice(1).map(() => null));
    expect(addAll(envelopes.toSpliced(1, 1)).at(-1)).toBeNull();
    expect(joined.add('venue_a.stats', { payload: Buffer.from('x'), receivedAt: 1 })).toBeNull();
    expect(addAll(envelopes)).toEqual([...envelopes.slice(1).map(() => null), { at: 1_000, payload: text }]);
  });
});
