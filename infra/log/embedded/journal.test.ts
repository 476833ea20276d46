/** Moves of records from the journal into the trees: none may be lost or doubled. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordOf } from '../conformance/records.fixture.ts';
import type { EventLog, LogRecord, TopicPartition } from '../log.ts';
import { copyLog } from './copy-log.fixture.ts';
import { DiskRoom } from './disk-room.ts';
import { openEnvironment } from './environment.ts';
import { ENTRY_HEADER_BYTES } from './journal-entry.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';

const TOPIC = { name: 'a', partitions: 3, retention: { kind: 'raw' } } as const;
const [A, B, C]: TopicPartition[] = [0, 1, 2].map((partition) => ({ topic: 'a', partition }));
const LIMITS = { rawMaxAgeMs: 1e12, rawMaxBytes: 1e12 };

describe('the journal of the embedded log', () => {
  let folder: string;
  let log: EventLog;
  const opened: EventLog[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-journal-'));
    log = await openEmbeddedLog({ path: join(folder, 'log') });
    await log.createTopics([TOPIC]);
  });
  afterEach(async () => {
    for (const one of [log, ...opened.splice(0)]) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Copies the log as the next process finds it if the writer crashes now. */
  async function afterDeath(): Promise<EventLog> {
    const path = mkdtempSync(join(folder, 'copy-'));
    copyLog(join(folder, 'log'), path);
    const copy = await openEmbeddedLog({ path });
    opened.push(copy);
    return copy;
  }

  async function readAll(from: EventLog, at: TopicPartition): Promise<LogRecord[]> {
    const { first, next } = await from.bounds(at);
    const reader = await from.reader([{ ...at, offset: first }]);
    const records: LogRecord[] = [];
    while (records.length < next - first) records.push(...(await reader.poll(37, 1_000)).records);
    await reader.close();
    return records;
  }

  const seqsOf = (records: readonly LogRecord[]) => records.map(({ seq }) => seq);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  /** Bytes of the journal's files in the folder of a log. */
  const journalBytes = (path: string) =>
    readdirSync(join(path, 'journal')).reduce((sum, name) => sum + statSync(join(path, 'journal', name)).size, 0);

  it('retains every record through any number of crashes, in full blocks, flushed ones and entries', async () => {
    const value = randomBytes(3_000);
    for (let seq = 1; seq <= 400; seq += 1) {
      const records = [{ ...recordOf(A!, seq), value }, ...(seq % 20 === 0 ? [recordOf(B!, seq / 20)] : [])];
      await log.append(records);
      if (seq === 150) await log.maintain(Date.now(), LIMITS);
      if (seq % 90 !== 0) continue;
      const copy = await afterDeath();
      expect(seqsOf(await readAll(copy, A!))).toEqual(upTo(seq));
      expect(seqsOf(await readAll(copy, B!))).toEqual(upTo(Math.floor(seq / 20)));
      await copy.append([recordOf(A!, seq + 1)]);
      expect((await copy.last(A!))?.seq).toBe(seq + 1);
    }
    expect(seqsOf(await readAll(log, A!))).toEqual(upTo(400));
  });

  it('is empty once the log is closed, and continues in a reopened log', async () => {
    for (let seq = 1; seq <= 50; seq += 1) await log.append([recordOf(A!, seq), recordOf(C!, seq)]);
    await log.close();
    expect(readdirSync(join(folder, 'log', 'journal'))).toEqual([]);
    for (const until of [60, 70]) {
      log = await openEmbeddedLog({ path: join(folder, 'log') });
      for (let seq = until - 9; seq <= until; seq += 1) await log.append([recordOf(A!, seq)]);
      expect(seqsOf(await readAll(log, A!))).toEqual(upTo(until));
      await log.close();
    }
    log = await openEmbeddedLog({ path: join(folder, 'log') });
    expect(seqsOf(await readAll(log, A!))).toEqual(upTo(70));
    expect(seqsOf(await readAll(log, C!))).toEqual(upTo(50));
  });

  it('contains each append completely or not at all, wherever a crash truncated the last one', async () => {
    for (let seq = 1; seq <= 3; seq += 1) await log.append([recordOf(A!, seq), recordOf(B!, seq), recordOf(C!, seq)]);
    const path = join(folder, 'cut');
    copyLog(join(folder, 'log'), path);
    const [name] = readdirSync(join(path, 'journal'));
    const whole = readFileSync(join(path, 'journal', name!));
    const end = whole.findLastIndex((byte) => byte !== 0) + 1;
    const entryAt = whole.lastIndexOf(Buffer.from('a/0')) - 1 - ENTRY_HEADER_BYTES;
    for (let cut = entryAt; cut <= end; cut += cut < entryAt + 30 || cut > end - 10 ? 1 : 17) {
      writeFileSync(join(path, 'journal', name!), whole.subarray(0, cut));
      const copy = await openEmbeddedLog({ path });
      for (const at of [A!, B!, C!]) expect((await copy.bounds(at)).next).toBe(cut < end ? 2 : 3);
      await copy.close();
      rmSync(path, { recursive: true });
      copyLog(join(folder, 'log'), path);
    }
  });

  it('holds records that do not fit into the trees, up to a bound, and moves them when there is space', async () => {
    const errors: unknown[] = [];
    const room = vi.spyOn(DiskRoom.prototype, 'reserve').mockReturnValue(false);
    const value = randomBytes(100_000);
    let seq = 0;
    const append = () =>
      log.append([{ ...recordOf(A!, seq + 1), value }, recordOf(B!, seq + 1)]).then(() => (seq += 1));
    while (errors.length === 0) await append().catch((error) => errors.push(error));
    expect(errors).toMatchObject([{ code: 'log_full', canRetry: true }]);
    expect(seq * value.length).toBeGreaterThan(16 * 2 ** 20);
    expect(seq * value.length).toBeLessThan(40 * 2 ** 20);
    expect(seqsOf(await readAll(log, A!))).toEqual(upTo(seq));
    expect(seqsOf(await readAll(await afterDeath(), B!))).toEqual(upTo(seq));
    room.mockRestore();
    const goesOn = () =>
      append().then(
        () => true,
        () => false,
      );
    await expect.poll(goesOn).toBe(true);
    await expect.poll(goesOn).toBe(true);
    await expect.poll(() => journalBytes(join(folder, 'log'))).toBeLessThan(19 * 2 ** 20);
    expect(seqsOf(await readAll(await afterDeath(), A!))).toEqual(upTo(seq));
    expect(seqsOf(await readAll(log, B!))).toEqual(upTo(seq));
  });

  it('opens quickly with a full journal', async () => {
    const value = Buffer.from(JSON.stringify({ coin: 'ETH', px: '3000.5', side: 'B', sz: '0.25' }).repeat(10));
    for (let seq = 1; seq <= 20_000; seq += 1) await log.append([{ ...recordOf(seq % 2 ? A! : B!, seq), value }]);
    const before = process.cpuUsage();
    const copy = await afterDeath();
    const { user, system } = process.cpuUsage(before);
    expect((await copy.bounds(A!)).next).toBe(10_000);
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  it('restores nothing of a topic that was cleared, also after a crash', async () => {
    await log.createTopics([{ ...TOPIC, name: 'b' }]);
    const other = { topic: 'b', partition: 0 };
    await log.append([recordOf(A!, 1), recordOf(A!, 2), recordOf(other, 1)]);
    await log.clearTopic('a');
    expect(await (await afterDeath()).bounds(A!)).toEqual({ first: 0, next: 0 });
    await log.append([recordOf(A!, 9)]);
    const copy = await afterDeath();
    expect(seqsOf(await readAll(copy, A!))).toEqual([9]);
    expect(seqsOf(await readAll(copy, other))).toEqual([1]);
  });

  it('stays within bounds even if one partition gets little in every append and another nothing for long', async () => {
    const value = randomBytes(64 * 1024);
    await log.append([recordOf(C!, 1)]);
    for (let seq = 1; seq <= 600; seq += 1) await log.append([{ ...recordOf(A!, seq), value }, recordOf(B!, seq)]);
    // 600 entries have 37 MiB; files are removed after the next sync point.
    await expect.poll(() => journalBytes(join(folder, 'log'))).toBeLessThan(19 * 2 ** 20);
    expect(seqsOf(await readAll(log, B!))).toEqual(upTo(600));
    expect(seqsOf(await readAll(await afterDeath(), B!))).toEqual(upTo(600));
  });

  it('is followed by a process that only reads, while records move into the trees and topics are cleared', async () => {
    const follower = await openEmbeddedLog({ path: join(folder, 'log'), readOnly: true });
    opened.push(follower);
    const reader = await follower.reader([{ ...A!, offset: 0 }]);
    const seqs: number[] = [];
    const value = randomBytes(20_000);
    for (let seq = 1; seq <= 60; seq += 1) {
      await log.append([{ ...recordOf(A!, seq), value }]);
      if (seq % 7 === 0) seqs.push(...seqsOf((await reader.poll(100, 100)).records));
      if (seq === 25) await log.maintain(Date.now(), LIMITS);
    }
    while (seqs.length < 60) seqs.push(...seqsOf((await reader.poll(100, 1_000)).records));
    expect(seqs).toEqual(upTo(60));
    await log.clearTopic('a');
    await expect.poll(async () => (await follower.bounds(A!)).next).toBe(0);
    await log.append([recordOf(A!, 1)]);
    await expect.poll(async () => (await follower.last(A!))?.seq).toBe(1);
  });

  it('refuses the data of another format and does not change it', async () => {
    await log.close();
    const path = join(folder, 'log');
    const set = async (format: number | null) => {
      const environment = openEnvironment(path, false);
      const stored = environment.json<number>('format')!;
      environment.transact(() => (format === null ? stored.removeSync('log') : stored.putSync('log', format)));
      await environment.root.close();
    };
    for (const [format, named] of [
      [null, 1],
      [2, 2],
    ] as const) {
      await set(format);
      for (const readOnly of [false, true]) {
        const refused = await openEmbeddedLog({ path, readOnly }).catch((error) => error);
        expect(refused).toMatchObject({ name: 'LogError', code: 'log_other_format', canRetry: false });
        expect(refused.message).toContain(`format ${named}, this version reads format 4 only`);
        expect(refused.message).not.toContain('\n');
      }
    }
    await set(4);
    log = await openEmbeddedLog({ path });
  });
});
