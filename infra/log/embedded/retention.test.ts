import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Retention } from '#schemas/topics/topic';
import type { EventLog } from '../log.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';
import { Partition } from './partition.ts';

const HUNDRED_YEARS_MS = 100 * 365 * 86_400_000;
let path: string;
let log: EventLog;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'parallax-retention-'));
  log = await openEmbeddedLog({ path });
});
afterEach(async () => {
  await log.close();
  await rm(path, { recursive: true, force: true });
});

/** Returns how many records of a topic are left after a hundred years: of five under two keys, none of them new. */
async function leftOf(retention: Retention): Promise<number> {
  await log.createTopics([{ name: 'topic', partitions: 1, retention }]);
  for (const seq of [1, 2, 3, 4, 5])
    await log.append([
      { topic: 'topic', partition: 0, key: String(seq % 2), value: Buffer.alloc(9), receivedAt: seq, seq },
    ]);
  await log.maintain(Date.now() + HUNDRED_YEARS_MS, { rawMaxAgeMs: 86_400_000, rawMaxBytes: 1 });
  const reader = await log.reader([{ topic: 'topic', partition: 0, offset: 0 }]);
  const { records } = await reader.poll(10, 1_000);
  await reader.close();
  return records.length;
}

it.each([
  [{ kind: 'forever' }, 5],
  [{ kind: 'compacted' }, 2],
  [{ kind: 'raw' }, 1],
  [{ kind: 'derived' }, 1],
  [{ kind: 'hours', hours: 48 }, 1],
] as const)('of a topic with retention %j, %i of five old records stay', async (retention, left) => {
  expect(await leftOf(retention)).toBe(left);
});

it('decodes no block whose records are all young enough', async () => {
  await log.createTopics([
    { name: 'forever', partitions: 1, retention: { kind: 'forever' } },
    { name: 'hours', partitions: 1, retention: { kind: 'hours', hours: 1 } },
  ]);
  for (const topic of ['forever', 'hours'])
    for (const seq of [1, 2, 3])
      await log.append([{ topic, partition: 0, key: '', value: Buffer.alloc(9), receivedAt: seq, seq }]);
  const decode = vi.spyOn(Partition.prototype, 'recordsOf');
  const maintain = (now: number) => log.maintain(now, { rawMaxAgeMs: 1, rawMaxBytes: Number.POSITIVE_INFINITY });
  expect(await maintain(Date.now())).toBe(0);
  expect(decode).not.toHaveBeenCalled();
  expect(await maintain(Date.now() + 2 * 3_600_000)).toBe(2);
  decode.mockRestore();
});
