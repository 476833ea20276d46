import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { loadSettings } from '#infra/config/settings';
import type { RoleContext } from '#infra/context';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import { type EventLog, LogError, type LogReader } from '#infra/log/log';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { TOPICS } from '#schemas/topics/catalog';
import { rawTopic } from '#schemas/topics/raw';
import { start } from './start.ts';

/** Of the time in which a signal has to end the service, what the processors may take. */
const CLOSE_MS = 5_000;

let folder: string;
let kept: EventLog;
/** The same log, whose calls a test replaces. */
let log: EventLog;
let context: RoleContext;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'processors-'));
  kept = await openEmbeddedLog({ path: join(folder, 'log') });
  log = Object.create(kept) as EventLog;
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
  await kept.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the processors', () => {
  it('leave nothing running when one of them cannot start', async () => {
    const readers: LogReader[] = [];
    log.reader = async (from) => {
      const reader = await kept.reader(from);
      readers.push({ ...reader, poll: (...given) => reader.poll(...given), close: vi.fn(() => reader.close()) });
      return readers.at(-1)!;
    };
    const closeSink = vi.fn();
    log.group = async (...given) => {
      const member = await kept.group(...given);
      return { ...member, close: () => member.close().then(closeSink) };
    };
    log.last = (at) =>
      at.topic === 'state.channels' ? Promise.reject(new LogError('log_unavailable', 'away')) : kept.last(at);
    await expect(start(context)).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(readers.length).toBeGreaterThan(3);
    for (const { close } of readers) expect(close).toHaveBeenCalled();
    expect(closeSink).toHaveBeenCalledOnce();
  });

  it('together close within the time of a signal while the log takes nothing', async () => {
    // Pauses without jitter.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const running = await start(context);
    log.append = () => Promise.reject(new LogError('log_full', 'no room on the disk'));
    // What no venue says becomes a dead letter, which the log does not take.
    const topics = [rawTopic('venue_a', 'ws'), rawTopic('venue_b', 'clob_ws')];
    const at = { partition: 0, receivedAt: 1_000, seq: 1, key: 'feed' };
    await kept.append(topics.map(({ name: topic }) => ({ ...at, topic, value: Buffer.from('nonsense') })));
    kept.advance(
      TOPICS.flatMap(({ name: topic, partitions }) =>
        Array.from({ length: partitions }, (_, partition) => ({ topic, partition, watermark: 2_000 })),
      ),
    );
    const troubled = () =>
      Object.values(context.health.report().parts).filter((text) => text === 'no room on the disk');
    await vi.waitFor(() => expect(troubled().length).toBeGreaterThan(1), 10_000);
    // By now the pauses between attempts are long: one after the other they would not end in time.
    await sleep(3_500);
    const began = Date.now();
    await running.close().catch((error: unknown) => expect(error).toMatchObject({ code: 'log_full' }));
    expect(Date.now() - began).toBeLessThan(CLOSE_MS);
  });
});
