import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '../log.ts';
import { copyLog } from './copy-log.fixture.ts';
import { openEnvironment } from './environment.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';
import { restoreAfterPowerLoss, SyncPoints, wasPowerLost } from './sync-points.ts';

const PAGE_BYTES = 4096;
const AT = { topic: 'a', partition: 0 };
const LIMITS = { rawMaxAgeMs: 1e12, rawMaxBytes: 1e12 };

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('a loss of power', () => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'parallax-sync-'));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));

  /** Appends records of changing sizes, and removes old ones by compaction, so that pages are written over. */
  async function churn(log: EventLog, rounds: number, from: number): Promise<number> {
    let seq = from;
    for (let round = 0; round < rounds; round += 1) {
      const records = Array.from({ length: 40 }, () => {
        seq += 1;
        return { ...AT, key: `k${seq % 7}`, value: Buffer.alloc((seq * 37) % 3_000, seq), receivedAt: seq, seq };
      });
      await log.append(records);
      if (round % 5 === 4) await log.maintain(Date.now(), LIMITS);
    }
    return seq;
  }

  async function readAll(log: EventLog): Promise<{ seq: number; whole: boolean }[]> {
    const { first, next } = await log.bounds(AT);
    const reader = await log.reader([{ ...AT, offset: first }]);
    const found = [];
    for (let reached = first; reached < next; ) {
      const { records } = await reader.poll(100, 1_000);
      for (const { seq, offset, value } of records) {
        reached = offset + 1;
        const expected = Buffer.alloc((seq * 37) % 3_000, seq);
        found.push({ seq, whole: value?.equals(expected) ?? false });
      }
    }
    return found;
  }

  it.each([1, 2, 3, 4, 5, 6])(
    'leaves the newest sync point intact, whichever later writes reached the disk (%i)',
    async (seed) => {
      const live = join(path, 'live');
      const crashed = join(path, 'crashed');
      const log = await openEmbeddedLog({ path: live });
      await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'compacted' } }]);
      const seq = await churn(log, 12, 0);
      // Maintenance ends with a sync point: this is certainly on the disk.
      await log.append([{ ...AT, key: 'before', value: Buffer.alloc(0), receivedAt: seq, seq: seq + 1 }]);
      await log.append([
        { ...AT, key: 'before', value: Buffer.alloc(((seq + 2) * 37) % 3_000, seq + 2), receivedAt: seq, seq: seq + 2 },
      ]);
      await log.maintain(Date.now(), LIMITS);
      const certain = readFileSync(join(live, 'data.mdb'));
      const point = readFileSync(join(live, 'sync-point'));
      const stored = await readAll(log);
      // No sync point is made within these writes, which take less than the interval between two; and if one were, the
      // copy of the file `sync-point` above would still lead to the older one, whose pages stay until the next but one.
      for (let more = 0; more < 10; more += 1)
        await log.append(
          Array.from({ length: 30 }, (_, at) => {
            const own = seq + 3 + more * 30 + at;
            return {
              ...AT,
              key: `k${own % 5}`,
              value: Buffer.alloc((own * 37) % 3_000, own),
              receivedAt: own,
              seq: own,
            };
          }),
        );
      const newest = readFileSync(join(live, 'data.mdb'));
      copyLog(live, crashed);
      await log.close();

      // Each later page reached the disk or not, at random; the pages of the sync point did.
      const chance = random(seed);
      const disk = Buffer.alloc(newest.length);
      for (let at = 0; at < newest.length; at += PAGE_BYTES) {
        const source = at < certain.length && chance() < 0.5 ? certain : newest;
        if (source === certain || chance() < 0.7) source.copy(disk, at, at, at + PAGE_BYTES);
        else if (at < certain.length) certain.copy(disk, at, at, at + PAGE_BYTES);
      }
      writeFileSync(join(crashed, 'data.mdb'), disk);
      writeFileSync(join(crashed, 'sync-point'), point);

      expect(restoreAfterPowerLoss(crashed, 'another boot')).toBe(true);
      const again = await openEmbeddedLog({ path: crashed });
      // Records that were not in the trees by then are in the journal, which reached the disk completely.
      const later = Array.from({ length: 300 }, (_, at) => ({ seq: seq + 3 + at, whole: true }));
      expect(await readAll(again)).toEqual([...stored, ...later]);
      expect(stored.every(({ whole }) => whole)).toBe(true);
      // The log continues from there.
      const last = (await again.last(AT))!.seq;
      await again.append([{ ...AT, key: 'on', value: Buffer.from('on'), receivedAt: 9e9, seq: last + 1 }]);
      expect((await again.last(AT))!.seq).toBe(last + 1);
      await again.close();
    },
  );

  it('restores nothing if the machine was not restarted', async () => {
    const live = join(path, 'live');
    const killed = join(path, 'killed');
    const log = await openEmbeddedLog({ path: live });
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    await log.append([{ ...AT, key: 'k', value: Buffer.from('v'), receivedAt: 1, seq: 1 }]);
    copyLog(live, killed);
    await log.close();
    expect(restoreAfterPowerLoss(killed)).toBe(false);
    const again = await openEmbeddedLog({ path: killed });
    expect((await again.last(AT))?.seq).toBe(1);
    await again.close();
  });

  it('loses nothing after a clean close, even if the machine was restarted since', async () => {
    const log = await openEmbeddedLog({ path });
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    for (let seq = 1; seq <= 300; seq += 1)
      await log.append([{ ...AT, key: 'k', value: Buffer.from(`${seq}`), receivedAt: seq, seq }]);
    await log.close();
    expect(restoreAfterPowerLoss(path, 'another boot')).toBe(true);
    const again = await openEmbeddedLog({ path });
    expect((await again.last(AT))?.seq).toBe(300);
    await again.close();
  });

  it('ignores an incomplete sync point and uses the previous one', async () => {
    const log = await openEmbeddedLog({ path });
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    await log.append([{ ...AT, key: 'k', value: Buffer.from('v'), receivedAt: 1, seq: 1 }]);
    const journal = join(path, 'journal');
    const before = mkdtempSync(join(tmpdir(), 'parallax-sync-journal-'));
    copyLog(journal, before);
    await log.close();
    // Files of the journal are removed only when the newest point is complete.
    cpSync(before, journal, { recursive: true });
    rmSync(before, { recursive: true });
    const file = join(path, 'sync-point');
    const bytes = readFileSync(file);
    // Generation numbers rise from 1, odd ones in the second slot: garble the newest.
    const newer = bytes.readDoubleBE(8) > bytes.readDoubleBE(256 * 1024 + 8) ? 0 : 256 * 1024;
    const older = newer === 0 ? bytes.readDoubleBE(256 * 1024 + 8) : bytes.readDoubleBE(8);
    bytes[newer + 200] = bytes[newer + 200]! ^ 0xff;
    writeFileSync(file, bytes);
    expect(older).toBeGreaterThan(0);
    expect(restoreAfterPowerLoss(path, 'another boot')).toBe(true);
    const again = await openEmbeddedLog({ path });
    // The older point was made before the first append to the topic.
    expect((await again.last(AT))?.seq).toBe(1);
    await again.close();
  });

  it('is repaired before another process reads', async () => {
    const log = await openEmbeddedLog({ path });
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    await log.append([{ ...AT, key: 'k', value: Buffer.from('v'), receivedAt: 1, seq: 1 }]);
    await log.close();
    const environment = openEnvironment(path, false);
    const points = new SyncPoints({
      environment,
      path,
      boot: 'another boot',
      flushJournal: async () => {},
      onBegin: () => async () => {},
      onFault: fail,
    });
    await points.close();
    await environment.root.close();
    expect(wasPowerLost(path)).toBe(true);
    // Both meta pages as a crash may have left them.
    const data = readFileSync(join(path, 'data.mdb'));
    data.fill(0xff, 100, PAGE_BYTES);
    data.fill(0xff, PAGE_BYTES + 100, 2 * PAGE_BYTES);
    writeFileSync(join(path, 'data.mdb'), data);
    const reading = await openEmbeddedLog({ path, readOnly: true });
    expect((await reading.last(AT))?.seq).toBe(1);
    await reading.close();
  });
});

function fail(error: unknown): never {
  throw error;
}
