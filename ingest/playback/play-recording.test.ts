import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readPartText } from '#schemas/domain/export-parts';
import { logFull, MemoryLog } from '../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger, until } from '../testing/open-publisher.fixture.ts';
import { playRecording } from './play-recording.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function recording(files: Record<string, string[] | Buffer>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), Array.isArray(content) ? content.join('\n') : content);
  return folder;
}

const NOON = Date.UTC(2026, 2, 1, 12);
const ws = (at: number, text: string) => `{"at":${at},"source":"venue_a.ws","data":"${text}"}`;
const block = (at: number, number: string) => `{"at":${at},"source":"venue_b.rpc","block":{"number":"${number}"}}`;

async function play(folder: string, log = new MemoryLog(), options: { speed?: number; signal?: AbortSignal } = {}) {
  const test = await openTestPublisher({ log, time: 'recorded' });
  const played = playRecording({
    folder,
    publisher: test.publisher,
    logger: silentLogger,
    speed: options.speed ?? 0,
    signal: options.signal ?? new AbortController().signal,
  });
  return { ...test, played };
}

/** Everything that the log holds, position by position. */
const contents = (log: MemoryLog) =>
  [...log.partitions]
    .map(([name, records]) => [name, records.map(({ appendedAt, ...record }) => record)] as const)
    .filter(([, records]) => records.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));

describe('playRecording', () => {
  it('plays plain and gzipped files in order of time, then file name, then line', async () => {
    const folder = await recording({
      'a.ndjson': [ws(NOON, 'a1'), ws(NOON + 2, 'a2'), '', ws(NOON + 2, 'a3')],
      'b.ndjson.gz': gzipSync([ws(NOON, 'b1'), ws(NOON, 'b2'), ws(NOON + 1, 'b3'), ws(NOON + 2, 'b4')].join('\n')),
      'README.md': ['not a recording'],
    });
    const { played, payloads } = await play(folder);
    expect(await played).toEqual({ lines: 7, ended: true });
    expect(payloads('venue_a', 'ws').map((text) => JSON.parse(text))).toEqual([
      'a1',
      'b1',
      'b2',
      'b3',
      'a2',
      'a3',
      'b4',
    ]);
  });

  it('publishes each line with its time, its source as the feed, and its unchanged data', async () => {
    const folder = await recording({
      'x.ndjson': [
        `{"at":${NOON},"source":"venue_a.info","request":{"type":"meta"},"data":[1.50]}`,
        `{"at":${NOON},"source":"venue_b.gamma","request":"GET /tags","data":{}}`,
        block(NOON + 1, '0x1'),
      ],
    });
    const { played, raw } = await play(folder);
    await played;
    expect(raw('venue_a', 'info')).toEqual([
      {
        provider: 'venue_a',
        stream: 'info',
        key: 'venue_a.info',
        receivedAt: NOON,
        request: '{"type":"meta"}',
        requestedAt: null,
        payload: Buffer.from('[1.50]'),
      },
    ]);
    expect(raw('venue_b', 'gamma')[0]?.request).toBe('GET /tags');
    expect(raw('venue_b', 'rpc')[0]?.payload.toString()).toBe('{"block":{"number":"0x1"}}');
  });

  it('publishes a line with an export in parts at its time, however long it is', async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, nth) => `{"ethAddress":"0x${nth}","displayName":"}]${'x'.repeat(90)}"}`,
    );
    const text = `{"leaderboardRows":[${rows.join(',')}]}`;
    const line = `{"at":${NOON},"source":"venue_a.stats","request":"GET /Mainnet/leaderboard","data":${text}}`;
    const folder = await recording({ 'x.ndjson': [line, ws(NOON + 1, 'after')] });
    const log = new MemoryLog();
    const { played, raw } = await play(folder, log);
    expect(await played).toEqual({ lines: 2, ended: true });
    const parts = raw('venue_a', 'stats');
    expect(parts.length).toBeGreaterThan(10);
    expect(new Set(parts.map(({ receivedAt, request }) => `${receivedAt} ${request}`))).toEqual(
      new Set([`${NOON} GET /Mainnet/leaderboard`]),
    );
    expect(parts.map(({ payload }) => readPartText(payload)).join('')).toBe(text);
    const before = contents(log);
    await (await play(folder, log)).played;
    expect(contents(log)).toEqual(before);
  });

  it('publishes a feed event at the first line of each source and at the end of the recording', async () => {
    const folder = await recording({ 'x.ndjson': [ws(NOON, '1'), block(NOON + 5, '0x1'), ws(NOON + 9, '2')] });
    const { played, feeds } = await play(folder);
    await played;
    const event = (provider: string, feed: string, receivedAt: number, kind: string) => ({
      provider,
      feed,
      receivedAt,
      kind,
      reason: null,
      coins: [],
    });
    expect(feeds('venue_a')).toEqual([
      event('venue_a', 'venue_a.ws', NOON, 'recorded'),
      event('venue_a', 'venue_a.ws', NOON + 10, 'ended'),
    ]);
    expect(feeds('venue_b')).toEqual([
      event('venue_b', 'venue_b.rpc', NOON + 5, 'recorded'),
      event('venue_b', 'venue_b.rpc', NOON + 10, 'ended'),
    ]);
  });

  it('publishes each line on its connection, and when that was made or lost', async () => {
    const feed = (at: number, name: string, rest: string) =>
      `{"at":${at},"source":"venue_a.ws","feed":"${name}",${rest}}`;
    const folder = await recording({
      'x.ndjson': [
        feed(NOON, 'venue_a.ws.0', '"data":"a"'),
        feed(NOON + 1, 'venue_a.ws.1', '"life":"connected"'),
        feed(NOON + 2, 'venue_a.ws.1', '"data":"b"'),
        feed(NOON + 3, 'venue_a.ws.0', '"life":"disconnected"'),
        feed(NOON + 4, 'venue_a.ws.1', '"life":"disconnected"'),
        feed(NOON + 5, 'venue_a.ws.2', '"life":"disconnected"'),
        feed(NOON + 6, 'venue_a.ws.2', '"life":"connected"'),
        feed(NOON + 9, 'venue_a.ws.1', '"life":"connected"'),
      ],
    });
    const { played, feeds, raw } = await play(folder);
    expect(await played).toEqual({ lines: 8, ended: true });
    expect(raw('venue_a', 'ws').map(({ key, payload }) => `${key} ${payload}`)).toEqual([
      'venue_a.ws.0 "a"',
      'venue_a.ws.1 "b"',
    ]);
    const kindsOf = (name: string) =>
      feeds('venue_a').flatMap(({ feed: of, kind, receivedAt }) => (of === name ? `${receivedAt - NOON} ${kind}` : []));
    expect(kindsOf('venue_a.ws.0')).toEqual(['0 recorded', '3 disconnected']);
    expect(kindsOf('venue_a.ws.1')).toEqual([
      '1 connected',
      '1 recorded',
      '4 disconnected',
      '9 connected',
      '9 recorded',
      '10 ended',
    ]);
    // One that was lost by its first line was not open before.
    expect(kindsOf('venue_a.ws.2')).toEqual(['5 disconnected', '6 connected', '6 recorded', '10 ended']);
  });

  it('puts the end after every record of the last millisecond, in the order in which stages process them', async () => {
    const folder = await recording({ 'x.ndjson': [block(NOON, '0x1'), ws(NOON, '1'), block(NOON, '0x2')] });
    const { played, log } = await play(folder);
    await played;
    const processed = [...log.partitions.values()]
      .flat()
      .sort((a, b) => a.receivedAt - b.receivedAt || (a.topic < b.topic ? -1 : 1) || a.offset - b.offset)
      .map(({ topic }) => topic);
    expect(processed.slice(-2)).toEqual(['raw.venue_a.feeds', 'raw.venue_b.feeds']);
    expect(processed.lastIndexOf('raw.venue_b.rpc')).toBe(processed.length - 3);
  });

  it('writes ticks between close lines, only hours over a silence, and nothing after the last line', async () => {
    const folder = await recording({
      'x.ndjson': [
        ws(NOON - 1, '1'),
        ws(NOON, '2'),
        ws(NOON + 4_000, '3'),
        ws(NOON + 8_000, '4'),
        ws(NOON + 3_600_000, '5'),
      ],
    });
    const { played, marks, log } = await play(folder);
    await played;
    expect(marks()).toEqual([
      { receivedAt: NOON, tick: true, hour: true, day: false },
      { receivedAt: NOON + 5_000, tick: true, hour: false, day: false },
      { receivedAt: NOON + 3_600_000, tick: false, hour: true, day: false },
    ]);
    expect(new Set(log.watermarks.values())).toEqual(new Set([NOON + 3_600_002]));
  });

  it('publishes a broken line unchanged if its time and source are readable', async () => {
    const folder = await recording({ 'x.ndjson': [ws(NOON, '1'), ws(NOON, '2').slice(0, -3), ws(NOON + 1, '3')] });
    const { played, payloads } = await play(folder);
    await played;
    expect(payloads('venue_a', 'ws')).toEqual(['"1"', '"', '"3"']);
  });

  it.each([
    ['a line without time or source', ['nonsense'], 'recording_unreadable_line', /x\.ndjson line 3/],
    ['an unknown source', [`{"at":${NOON},"source":"venue_x.ws","data":1}`], 'recording_unknown_source', /line 3/],
    ['a line with a lower time', [ws(NOON - 1, '3')], 'recording_unsorted', /x\.ndjson line 3.*line 2/],
  ])('fails at %s with a message that names file and line', async (_, lines, code, message) => {
    const folder = await recording({ 'x.ndjson': [ws(NOON - 1, '1'), ws(NOON, '2'), ...lines] });
    const { played } = await play(folder);
    await expect(played).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each([
    ['no files', {}],
    ['no lines', { 'x.ndjson': ['', ''] }],
  ])('refuses a folder with %s', async (_, files) => {
    const { played } = await play(await recording(files));
    await expect(played).rejects.toMatchObject({ code: 'recording_empty' });
  });

  it('fails at the end of a truncated archive with a message that names the file', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => ws(NOON + index, `${index}`));
    const folder = await recording({ 'x.ndjson.gz': gzipSync(lines.join('\n')).subarray(0, 5_000) });
    const { played } = await play(folder);
    await expect(played).rejects.toMatchObject({
      code: 'recording_unreadable_line',
      message: expect.stringMatching(/x\.ndjson\.gz is unreadable from line \d+ on/),
    });
  });

  it('refuses a missing folder', async () => {
    const { played } = await play('/nowhere/at/all');
    await expect(played).rejects.toMatchObject({ code: 'recording_empty' });
  });

  it('waits while the log is full and then loses nothing', async () => {
    const folder = await recording({ 'x.ndjson': Array.from({ length: 30_000 }, (_, i) => ws(NOON + i, `${i}`)) });
    const log = new MemoryLog();
    log.fault = logFull();
    const { played, payloads } = await play(folder, log);
    await until(() => log.refused > 1);
    log.fault = null;
    await played;
    expect(payloads('venue_a', 'ws')).toHaveLength(30_000);
  });

  it('produces the same log whether it runs through or is interrupted after any batch and continued', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => (i % 3 ? ws : block)(NOON + i * 1_700, `0x${i}`));
    const folder = await recording({ 'x.ndjson': lines });
    const complete = await play(folder);
    await complete.played;
    for (const appended of [0, 1, 500, 2_048, 4_000]) {
      const log = new MemoryLog();
      await playPartly(folder, log, appended);
      const resumed = await play(folder, log);
      await resumed.played;
      expect(contents(log)).toEqual(contents(complete.log));
    }
  });

  it('plays at its speed, and writes clock marks in between', async () => {
    const folder = await recording({ 'x.ndjson': [ws(NOON - 4_000, '1'), ws(NOON + 1_000, '2')] });
    const began = Date.now();
    const { played, marks, log } = await play(folder, new MemoryLog(), { speed: 20 });
    await until(() => log.of('raw.venue_a.ws').length === 1);
    expect(marks()).toEqual([]);
    await played;
    expect(Date.now() - began).toBeGreaterThanOrEqual(240);
    expect(marks().map((mark) => mark.receivedAt)).toEqual([NOON]);
  });

  it('stops when its signal aborts, also while it waits, and later continues without waiting for stored records', async () => {
    const folder = await recording({ 'x.ndjson': [ws(NOON, '1'), ws(NOON + 3_600_000, '2')] });
    const abort = new AbortController();
    const { played, log } = await play(folder, new MemoryLog(), { speed: 1, signal: abort.signal });
    await until(() => log.of('raw.venue_a.ws').length === 1);
    abort.abort();
    expect(await played).toEqual({ lines: 1, ended: false });
    const again = await play(folder, log, { speed: 1_000_000 });
    expect(await again.played).toEqual({ lines: 2, ended: true });
    expect(log.of('raw.venue_a.ws')).toHaveLength(2);
  });
});

/** Leaves the log as after a failure that many records into the playback. */
async function playPartly(folder: string, log: MemoryLog, records: number): Promise<void> {
  const full = new MemoryLog();
  const { played } = await play(folder, full);
  await played;
  const stored = full.batches.flat().slice(0, records);
  if (stored.length > 0) await log.append(stored);
}
