import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Retention } from '#schemas/topics/topic';
import type { EventLog } from '../log.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';

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
