import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestLog, type TestLog } from '#infra/control/open-test-log.fixture';
import { type AppendRecord, LogError } from '#infra/log/log';
import { clockTopic } from '#schemas/topics/control';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { until } from '../testing/open-publisher.fixture.ts';
import { type RecordRawOptions, recordRaw } from './record-raw.ts';

const SPARSE = rawTopic('venue_a', 'info');
const BUSY = rawTopic('venue_a', 'ws');
const FROM = [SPARSE, BUSY].map(({ name }) => ({ topic: name, partition: 0, offset: 0 }));
/** A past time, as a service that plays a recording writes. */
const START = 1_700_000_000_000;

let around: TestLog;
const seqs = new Map<string, number>();
beforeEach(async () => {
  around = await openTestLog();
  await around.log.createTopics([SPARSE, BUSY, clockTopic]);
  await around.codec.prepare([SPARSE, BUSY, clockTopic]);
  seqs.clear();
});
afterEach(() => around.close());

function record(topic: typeof SPARSE, receivedAt: number): AppendRecord {
  const seq = (seqs.get(topic.name) ?? 0) + 1;
  seqs.set(topic.name, seq);
  const payload = Buffer.from(`${receivedAt}`);
  const value = around.codec.encode(topic, {
    provider: 'venue_a',
    stream: topic.name.split('.')[2]!,
    key: 'feed',
    receivedAt,
    request: null,
    requestedAt: null,
    payload,
  });
  return { topic: topic.name, partition: 0, key: 'feed', value, receivedAt, seq };
}

/** Records in the order of their times over all partitions, as ingest writes them. Every 50th is of the sparse topic. */
function records(from: number, count: number): AppendRecord[] {
  return Array.from({ length: count }, (_, nth) => record(nth % 50 === 0 ? SPARSE : BUSY, START + from + nth));
}

function start(options: Partial<RecordRawOptions> = {}) {
  const times: number[] = [];
  const ending = new AbortController();
  const writer = {
    write: async (envelopes: readonly RawEnvelope[]) => {
      for (const { receivedAt } of envelopes) times.push(receivedAt - START);
    },
  };
  const { log, codec } = around;
  const running = recordRaw({
    log,
    codec,
    writer,
    from: FROM,
    until: 'signal',
    signal: ending.signal,
    hasWatermarks: false,
    ...options,
  });
  running.catch(() => {});
  return {
    times,
    running,
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, nth) => nth);

describe('recording from a log', () => {
  it('records a log without watermarks in order, however old its times and however many records come at once', async () => {
    const { log } = around;
    await log.append(records(0, 5_000));
    const { times, stop } = start();
    await until(() => times.length >= 4_900);
    await log.append(records(5_000, 9_000));
    await until(() => times.length >= 13_900);
    // The newest record waits for a newer one: here a tick of the clock.
    const receivedAt = START + 14_000;
    const mark = { receivedAt, tick: true, hour: false, day: false };
    const value = around.codec.encode(clockTopic, mark);
    await log.append([{ topic: clockTopic.name, partition: 0, key: 'clock', value, receivedAt, seq: 1 }]);
    await until(() => times.length === 14_000);
    await stop();
    expect(times).toEqual(upTo(14_000));
  });

  it('follows the watermarks of a log that has them', async () => {
    const { log } = around;
    const { times, stop } = start({ hasWatermarks: true });
    await log.append(records(0, 100));
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The sparse topic has no watermark after its last record.
    expect(times.length).toBeLessThanOrEqual(51);
    log.advance(FROM.map(({ topic, partition }) => ({ topic, partition, watermark: START + 100 })));
    await until(() => times.length === 100);
    await stop();
    expect(times).toEqual(upTo(100));
  });

  it('writes every record that it read when stopped, and stops at the end of the log when configured', async () => {
    await around.log.append(records(0, 6_000));
    const { times, running } = start({ until: 'end' });
    // Appended meanwhile, after the end that was recorded at the start.
    await around.log.append(records(6_000, 100));
    await running;
    expect(times).toEqual(upTo(times.length));
    expect(times.length).toBeGreaterThanOrEqual(6_000);
  });

  it('rejects with errors of the log or the writer, and leaves no reader open', async () => {
    await around.log.append(records(0, 10));
    let closed = 0;
    const { log } = around;
    const reader = async (from: Parameters<typeof log.reader>[0]) => {
      const opened = await log.reader(from);
      return Object.assign(opened, {
        close: async () => {
          closed += 1;
        },
      });
    };
    const full = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    const refusing = { write: () => Promise.reject(full) };
    const watched = { reader, last: (at: Parameters<typeof log.last>[0]) => log.last(at) };
    await expect(start({ log: watched, writer: refusing, until: 'end' }).running).rejects.toBe(full);
    const unavailable = new LogError('log_unavailable', 'away');
    const lost = { ...watched, last: () => Promise.reject(unavailable) };
    await expect(start({ log: lost }).running).rejects.toBe(unavailable);
    expect(closed).toBe(2);
  });
});
