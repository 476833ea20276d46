import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { loadSettings } from '#infra/config/settings';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import { type EventLog, LogError, type LogReader } from '#infra/log/log';
import type { RoleContext } from '#infra/runtime/context';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { TOPICS } from '#schemas/topics/catalog';
import { rawTopic } from '#schemas/topics/raw';
import { start } from './start.ts';

/** The part of the service's shutdown time that the processors may use. */
const CLOSE_MS = 5_000;

let folder: string;
let realLog: EventLog;
/** The same log with calls that a test replaces. */
let log: EventLog;
let context: RoleContext;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'processors-'));
  realLog = await openEmbeddedLog({ path: join(folder, 'log') });
  log = Object.create(realLog) as EventLog;
  await log.createTopics(TOPICS);
  const codec = createCodec(await openLogRegistry(log));
  await codec.prepare(TOPICS);
  context = {
    settings: loadSettings([], {}),
    log,
    codec,
    store: { insert: async () => {}, query: async () => [] } as never,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    health: createHealth(),
  };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await realLog.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the processors', () => {
  it('stop everything when one of them cannot start', async () => {
    const readers: LogReader[] = [];
    log.reader = async (from) => {
      const reader = await realLog.reader(from);
      readers.push({
        ...reader,
        poll: (...args) => reader.poll(...args),
        endWaits: () => reader.endWaits(),
        close: vi.fn(() => reader.close()),
      });
      return readers.at(-1)!;
    };
    const closeSink = vi.fn();
    log.group = async (...args) => {
      const member = await realLog.group(...args);
      return { ...member, close: () => member.close().then(closeSink) };
    };
    log.last = (at) =>
      at.topic === 'state.channels' ? Promise.reject(new LogError('log_unavailable', 'away')) : realLog.last(at);
    await expect(start(context)).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(readers.length).toBeGreaterThan(3);
    for (const { close } of readers) expect(close).toHaveBeenCalled();
    expect(closeSink).toHaveBeenCalledOnce();
  });

  it('close together within the shutdown time while the log rejects every append', async () => {
    // Retry pauses without jitter.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const running = await start(context);
    log.append = () => Promise.reject(new LogError('log_full', 'no room on the disk'));
    // Invalid records become dead letters, which the log rejects.
    const topics = [rawTopic('venue_a', 'ws'), rawTopic('venue_b', 'clob_ws')];
    const at = { partition: 0, receivedAt: 1_000, seq: 1, key: 'feed' };
    await realLog.append(topics.map(({ name: topic }) => ({ ...at, topic, value: Buffer.from('nonsense') })));
    realLog.advance(
      TOPICS.flatMap(({ name: topic, partitions }) =>
        Array.from({ length: partitions }, (_, partition) => ({ topic, partition, watermark: 2_000 })),
      ),
    );
    const degradedParts = () =>
      Object.values(context.health.report().parts).filter((text) => text === 'no room on the disk');
    await vi.waitFor(() => expect(degradedParts().length).toBeGreaterThan(1), 10_000);
    // The pauses between attempts are long now: one after the other they would not end in time.
    await sleep(3_500);
    const startedAt = Date.now();
    await running.close().catch((error: unknown) => expect(error).toMatchObject({ code: 'log_full' }));
    expect(Date.now() - startedAt).toBeLessThan(CLOSE_MS);
  });
});
