import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partPayload, readPartText } from '#schemas/domain/export-parts';
import type { FeedEvent, RawEnvelope } from '#schemas/topics/raw';
import { compressExport } from '../exports/publish-export.ts';
import { playRecording } from '../playback/play-recording.ts';
import { openTestPublisher, silentLogger } from '../testing/open-publisher.fixture.ts';
import { openRecordingWriter } from './write-recording.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-'));
});
afterEach(() => rm(folder, { recursive: true }));

const envelope = (
  provider: RawEnvelope['provider'],
  stream: string,
  receivedAt: number,
  payload: string,
  request: string | null = null,
): RawEnvelope => ({
  provider,
  stream,
  key: ['ws', 'clob_ws'].includes(stream) ? `${provider}.${stream}.0` : `${provider}.${stream}`,
  receivedAt,
  request,
  requestedAt: null,
  payload: Buffer.from(payload),
});

const change = (feed: string, receivedAt: number, kind: FeedEvent['kind']): FeedEvent => ({
  provider: feed.slice(0, 'venue_x'.length) as FeedEvent['provider'],
  feed,
  receivedAt,
  kind,
  reason: null,
  coins: [],
});

describe('a recording writer', () => {
  it('writes a file for each source with verbatim data, and leaves out what is not JSON', async () => {
    const writer = await openRecordingWriter(join(folder, 'out'));
    await writer.write([
      envelope('venue_a', 'ws', 1, '{"px":"3331.0", "n":1.0}'),
      envelope('venue_b', 'clob_ws', 2, 'PONG'),
      envelope('venue_a', 'info', 2, '[]', '{"type":"meta"}'),
    ]);
    await writer.write([envelope('venue_b', 'rpc', 3, '{"block":{"number":"0x1"}}')]);
    expect(await writer.close()).toEqual({
      lines: new Map([
        ['venue_a.ws', 1],
        ['venue_a.info', 1],
        ['venue_b.rpc', 1],
      ]),
      skipped: 1,
    });
    const read = (source: string) => readFile(join(folder, 'out', `${source}.ndjson`), 'utf8');
    expect(await read('venue_a.ws')).toBe(
      '{"at":1,"source":"venue_a.ws","feed":"venue_a.ws.0","data":{"px":"3331.0", "n":1.0}}\n',
    );
    expect(await read('venue_a.info')).toBe('{"at":2,"source":"venue_a.info","request":{"type":"meta"},"data":[]}\n');
    expect(await read('venue_b.rpc')).toBe('{"at":3,"source":"venue_b.rpc","block":{"number":"0x1"}}\n');
  });

  it('writes an export as one line, whose playback gives the same parts', async () => {
    const text = `{"leaderboardRows":[${Array.from({ length: 9_000 }, (_, nth) => `{"row":${nth},\n"x":[]}`).join(',')}]}`;
    const parts = await compressExport([Buffer.from(text)]);
    expect(parts.length).toBeGreaterThan(1);
    const request = 'GET /Mainnet/leaderboard';
    const writer = await openRecordingWriter(folder);
    for (const [index, compressed] of parts.entries()) {
      const payload = partPayload({ index, count: parts.length }, compressed);
      await writer.write([{ ...envelope('venue_a', 'stats', 5, '', request), payload }]);
    }
    expect(await writer.close()).toEqual({ lines: new Map([['venue_a.stats', 1]]), skipped: 0 });
    const test = await openTestPublisher({ time: 'recorded' });
    const signal = new AbortController().signal;
    await playRecording({ folder, publisher: test.publisher, logger: silentLogger, speed: 0, signal });
    const played = test.raw('venue_a', 'stats');
    expect(played.map(({ payload }) => readPartText(payload)).join('')).toBe(text.replaceAll('\n', ' '));
    expect(played.map(({ receivedAt, request: sent }) => [receivedAt, sent])).toEqual(parts.map(() => [5, request]));
  });

  it('continues an existing recording', async () => {
    for (const at of [1, 2]) {
      const writer = await openRecordingWriter(folder);
      await writer.write([envelope('venue_a', 'ws', at, `${at}`)]);
      await writer.close();
    }
    expect((await readFile(join(folder, 'venue_a.ws.ndjson'), 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  it('writes when a connection was made or lost, in its place among the messages', async () => {
    const writer = await openRecordingWriter(folder);
    await writer.write([
      change('venue_a.ws.1', 1, 'connected'),
      envelope('venue_a', 'ws', 2, '1'),
      change('venue_a.ws.1', 3, 'silent'),
      change('venue_a.ws.1', 4, 'disconnected'),
      change('venue_b.gamma', 5, 'disconnected'),
      change('venue_b.gamma', 6, 'unreachable'),
      change('venue_x.other', 7, 'connected'),
    ]);
    expect((await writer.close()).skipped).toBe(0);
    const read = (source: string) => readFile(join(folder, `${source}.ndjson`), 'utf8');
    expect((await read('venue_a.ws')).trim().split('\n')).toEqual([
      '{"at":1,"source":"venue_a.ws","feed":"venue_a.ws.1","life":"connected"}',
      '{"at":2,"source":"venue_a.ws","feed":"venue_a.ws.0","data":1}',
      '{"at":4,"source":"venue_a.ws","feed":"venue_a.ws.1","life":"disconnected"}',
    ]);
    expect(await read('venue_b.gamma')).toBe('{"at":5,"source":"venue_b.gamma","life":"disconnected"}\n');
  });

  it('writes a recording that playback reproduces', async () => {
    const envelopes = [
      envelope('venue_b', 'gamma', 10, '{"a":[1.50]}', 'GET /tags?x=1'),
      envelope('venue_b', 'rpc', 10, '{"block":{"number":"0x1","hash":"0xa"}}'),
      envelope('venue_b', 'rpc', 10, '{"log":{"logIndex":"0x0","data":"0x"}}'),
      envelope('venue_a', 'ws', 11, '{"channel":"pong"}'),
      envelope('venue_a', 'klines', 11, '[[60000,"1.50"]]', 'GET /fapi/v1/klines?symbol=BTCUSDT&interval=1m'),
      envelope('venue_b', 'rpc', 12, '{"finalized":"0x1"}'),
    ];
    const writer = await openRecordingWriter(folder);
    await writer.write(envelopes);
    await writer.close();
    const { publisher, raw } = await openTestPublisher({ time: 'recorded' });
    const signal = new AbortController().signal;
    await playRecording({ folder, publisher, logger: silentLogger, speed: 0, signal });
    await publisher.close();
    const played = [
      ...raw('venue_b', 'gamma'),
      ...raw('venue_b', 'rpc'),
      ...raw('venue_a', 'ws'),
      ...raw('venue_a', 'klines'),
    ];
    expect(played.sort((a, b) => a.receivedAt - b.receivedAt)).toEqual(envelopes);
  });
});
