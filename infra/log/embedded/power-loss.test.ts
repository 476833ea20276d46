/**
 * A loss of power after any write: the log falls back to a prefix of the appends that contains all that are certain.
 */
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppendRecord, EventLog, TopicPartition } from '../log.ts';
import { copyLog } from './copy-log.fixture.ts';
import { JournalReader, segmentPath, segmentsIn } from './journal-reader.ts';
import { JournalSegments } from './journal-segments.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';
import { restoreAfterPowerLoss } from './sync-points.ts';

const LIMITS = { rawMaxAgeMs: 1e12, rawMaxBytes: 1e12 };
const PLACES: TopicPartition[] = ['a', 'b'].flatMap((topic) => [0, 1].map((partition) => ({ topic, partition })));
const PROBE = 'probe';

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

type Reached = { readonly first: number; readonly end: number } | null;

/** The `seq` values that each partition holds. */
type Contents = number[][];

const bytesOf = (seq: number, bytes: number) => Buffer.alloc(bytes, `${seq} `);

async function contentsOf(log: EventLog): Promise<Contents> {
  return Promise.all(
    PLACES.map(async (at) => {
      const { first, next } = await log.bounds(at);
      const reader = await log.reader([{ ...at, offset: first }]);
      const seqs: number[] = [];
      while (seqs.length < next - first) {
        const { records } = await reader.poll(1_000, 1_000);
        if (records.length === 0) throw new Error(`${at.topic}/${at.partition} ends before ${next}`);
        for (const { seq, offset, value, receivedAt } of records) {
          expect(receivedAt).toBe(seq * 7);
          expect(offset).toBe(first + seqs.length);
          expect(value!.equals(bytesOf(seq, value!.length))).toBe(true);
          seqs.push(seq);
        }
      }
      await reader.close();
      return seqs;
    }),
  );
}

describe('a loss of power with a journal', { timeout: 120_000 }, () => {
  let folder: string;
  let live: string;
  let log: EventLog;
  /**
   * What the partitions may hold after a loss, by step: emptying a topic may be undone with the rest of LMDB's changes.
   */
  let possible: Contents[][];
  /** What has been flushed: the number of steps, and the journal up to there. */
  let certain: { step: number; reached: Reached };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-power-'));
    live = join(folder, 'live');
    possible = [[PLACES.map(() => [])]];
    certain = { step: 0, reached: null };
    const { flush, removeBelow } = JournalSegments.prototype;
    const isLive = (segments: JournalSegments) => (segments as unknown as { folder: string }).folder.startsWith(live);
    let flushed = certain;
    vi.spyOn(JournalSegments.prototype, 'flush').mockImplementation(function (this: JournalSegments, first: number) {
      if (isLive(this)) flushed = { step: possible.length - 1, reached: endOf(live) };
      return flush.call(this, first);
    });
    // Steps that follow a sync point once it is complete.
    vi.spyOn(JournalSegments.prototype, 'removeBelow').mockImplementation(function (
      this: JournalSegments,
      first: number,
    ) {
      if (isLive(this)) certain = flushed;
      return removeBelow.call(this, first);
    });
    log = await openEmbeddedLog({ path: live });
    await log.createTopics(
      ['a', 'b', PROBE].map((name) => ({ name, partitions: 2, retention: { kind: 'raw' } as const })),
    );
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let probes = 0;
  /** An append to a topic that was just emptied waits for a sync point. */
  async function sync(): Promise<void> {
    await log.clearTopic(PROBE);
    probes += 1;
    await log.append([{ topic: PROBE, partition: 0, key: 'k', value: null, receivedAt: 1, seq: probes }]);
  }

  /** The ends of the complete entries of a journal. */
  function endOf(path: string): Reached {
    const reader = new JournalReader(join(path, 'journal'));
    const [oldest] = segmentsIn(join(path, 'journal'));
    if (oldest !== undefined) reader.readFrom(oldest);
    const { reached } = reader;
    reader.close();
    return reached;
  }

  /** The folder as the disk may have it: the journal is intact up to `certain`, and arbitrary after some later byte. */
  function lose(chance: () => number): string {
    const { reached } = certain;
    const path = mkdtempSync(join(folder, 'lost-'));
    copyLog(live, path);
    const journal = join(path, 'journal');
    let isLost = false;
    for (const first of segmentsIn(journal)) {
      if (reached && first < reached.first) continue;
      const file = segmentPath(journal, first);
      if (isLost) {
        if (chance() < 0.3) rmSync(file);
        continue;
      }
      if (chance() < 0.3 && first !== reached?.first) continue;
      const from = first === reached?.first ? reached.end : 0;
      const cut = from + Math.floor(chance() * (statSync(file).size - from) * (chance() < 0.5 ? 1 : 0.1));
      const descriptor = openSync(file, 'r+');
      if (chance() < 0.5) ftruncateSync(descriptor, cut);
      else writeSync(descriptor, Buffer.alloc(Math.ceil(chance() * 20_000)), 0, undefined, cut);
      closeSync(descriptor);
      isLost = true;
    }
    return path;
  }

  it.each([1, 2, 3, 4])('leaves complete batches, all that are certain, in order (%i)', async (seed) => {
    const chance = random(seed);
    const seqs = PLACES.map(() => 0);
    let [contents] = possible[0]! as [Contents];
    /** Contents of topic b when it was emptied, until something is appended to it again. */
    let emptied: Contents | null = null;
    const isOfB = (index: number) => PLACES[index]!.topic === 'b';
    for (let step = 0; step < 45; step += 1) {
      const kind = chance();
      if (kind < 0.7) {
        const records: AppendRecord[] = [];
        const bytes = chance() < 0.2 ? 90_000 : 2_000;
        contents = contents.map((own) => [...own]);
        for (let left = 1 + Math.floor(chance() * 12); left > 0; left -= 1) {
          const index = Math.floor(chance() * (emptied && chance() < 0.7 ? 2 : PLACES.length));
          if (isOfB(index)) emptied = null;
          seqs[index]! += 1;
          const seq = seqs[index]!;
          const value = bytesOf(seq, Math.floor(chance() * bytes));
          records.push({ ...PLACES[index]!, key: `k${seq % 3}`, value, receivedAt: seq * 7, seq });
          contents[index]!.push(seq);
        }
        await log.append(records);
      } else if (kind < 0.8) await log.maintain(Date.now(), LIMITS);
      else if (kind < 0.87) {
        await log.clearTopic('b');
        emptied ??= contents;
        contents = contents.map((own, index) => (isOfB(index) ? [] : own));
      } else await sync();
      const undone = contents.map((own, index) => (emptied && isOfB(index) ? emptied[index]! : own));
      possible.push([contents, undone]);
      if (chance() < 0.5) continue;
      const known = certain.step;
      const path = lose(chance);
      restoreAfterPowerLoss(path, 'another boot');
      let again = await openEmbeddedLog({ path });
      const found = await contentsOf(again);
      expect(possible.slice(known).flat()).toContainEqual(found);
      // The log continues from there, also after a crash.
      const more = PLACES.map((at, index) => {
        const seq = (found[index]!.at(-1) ?? 0) + 1;
        return { ...at, key: 'k', value: bytesOf(seq, 3_000), receivedAt: seq * 7, seq };
      });
      await again.append(more);
      const expected = found.map((own, index) => [...own, more[index]!.seq]);
      expect(await contentsOf(again)).toEqual(expected);
      const dead = mkdtempSync(join(folder, 'dead-'));
      copyLog(path, dead);
      await again.close();
      for (const closed of [path, dead]) {
        again = await openEmbeddedLog({ path: closed });
        expect(await contentsOf(again)).toEqual(expected);
        await again.close();
        rmSync(closed, { recursive: true });
      }
    }
  });
});
