/** A full disk, on a small file system of its own. */
import { spawnSync } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EventLog, LogError } from '../log.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';

const MEBIBYTE = 2 ** 20;
const DISK_BYTES = 24 * MEBIBYTE;
const RESERVE_BYTES = 8 * MEBIBYTE;
const AT = { topic: 'raw.full', partition: 0 };
const COMPACTED = { topic: 'compacted', partition: 0 };
const EVERYTHING = { rawMaxAgeMs: 1e12, rawMaxBytes: 1e12 };

/** Incompressible bytes, always the same for a number. */
function incompressible(seq: number, bytes: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, seq), Buffer.alloc(16, seq >> 8)).update(Buffer.alloc(bytes));
}

/** How file systems can be mounted here; null if they cannot. */
function mounter(folder: string): ((...args: string[]) => boolean) | null {
  for (const prefix of [[], ['sudo', '-n']]) {
    const run = (...args: string[]) => {
      const [command, ...rest] = [...prefix, ...args];
      return spawnSync(command!, rest, { stdio: 'ignore', timeout: 10_000 }).status === 0;
    };
    if (run('mount', '-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=0777`, 'tmpfs', folder)) return run;
  }
  return null;
}

const folder = mkdtempSync(join(tmpdir(), 'parallax-disk-'));
const run = process.platform === 'linux' ? mounter(folder) : null;
if (!run) rmSync(folder, { recursive: true });
const title = run ? 'a full disk' : 'a full disk (skipped: mounting a small file system needs Linux and root)';

describe.skipIf(!run)(title, () => {
  let log: EventLog;
  let seq = 0;
  let path = '';
  let made = 0;
  const filler = join(folder, 'filler');

  beforeAll(() => expect(freeBytes()).toBeGreaterThan(DISK_BYTES / 2));
  afterAll(() => {
    run!('umount', folder);
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    rmSync(filler, { force: true });
    if (path) rmSync(path, { recursive: true, force: true });
    made += 1;
    path = join(folder, `log-${made}`);
    seq = 0;
    log = await openEmbeddedLog({ path, reserveBytes: RESERVE_BYTES });
    await log.createTopics([
      { name: AT.topic, partitions: 1, retention: { kind: 'raw' } },
      { name: COMPACTED.topic, partitions: 1, retention: { kind: 'compacted' } },
    ]);
    return () => log.close();
  });

  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  }

  const batch = (bytes = 4_000) =>
    Array.from({ length: 10 }, (_, index) => ({
      ...AT,
      key: 'k',
      value: incompressible(seq + index + 1, bytes),
      receivedAt: 1,
      seq: seq + index + 1,
    }));

  /** Appends until the log refuses; returns the error. */
  async function fillUp(): Promise<unknown> {
    for (;;) {
      try {
        await log.append(batch());
        seq += 10;
      } catch (error) {
        return error;
      }
    }
  }

  /** Fills the disk completely, or except for some bytes. */
  function takeRest(leaving = 0): void {
    const file = openSync(filler, 'w');
    try {
      while (leaving === 0 || freeBytes() > leaving) writeSync(file, Buffer.alloc(64 * 1024));
      return;
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    } finally {
      closeSync(file);
    }
  }

  async function expectWhole(): Promise<void> {
    const { first, next } = await log.bounds(AT);
    expect((await log.last(AT))?.seq).toBe(seq);
    const reader = await log.reader([{ ...AT, offset: first }]);
    let expected = seq - (next - first) + 1;
    for (let reached = first; reached < next; ) {
      const { records } = await reader.poll(1_000, 1_000);
      for (const record of records) {
        expect(record.seq).toBe(expected);
        expect(record.value?.equals(incompressible(record.seq, record.value.length))).toBe(true);
        expected += 1;
        reached = record.offset + 1;
      }
    }
    await reader.close();
  }

  it('refuses the whole batch with log_full, loses nothing, and continues when there is space', async () => {
    const error = await fillUp();
    expect(error).toBeInstanceOf(LogError);
    expect(error).toMatchObject({ code: 'log_full', canRetry: true });
    expect(seq).toBeGreaterThan(500);
    expect(freeBytes()).toBeGreaterThan(RESERVE_BYTES / 2);
    await expectWhole();
    // Retention frees space inside the file: the disk is as full as before.
    expect(await log.maintain(Date.now(), { ...EVERYTHING, rawMaxBytes: 2 * MEBIBYTE })).toBeGreaterThan(100);
    for (let more = 0; more < 20; more += 1) {
      await log.append(batch());
      seq += 10;
    }
    await expectWhole();
    await log.close();
    log = await openEmbeddedLog({ path, reserveBytes: RESERVE_BYTES });
    await expectWhole();
  });

  it('continues in pages of its own file that retention has freed, while only the reserve of the disk is free', async () => {
    for (let before = Number.NEGATIVE_INFINITY; seq > before + 200; await sleep(300)) {
      before = seq;
      expect(await fillUp()).toMatchObject({ code: 'log_full' });
    }
    expect(await log.maintain(Date.now(), { ...EVERYTHING, rawMaxBytes: MEBIBYTE })).toBeGreaterThan(100);
    await sleep(300);
    takeRest(RESERVE_BYTES - MEBIBYTE / 4);
    const until = seq + 400;
    const goesOn = async () => {
      await log.append(batch());
      seq += 10;
      return seq;
    };
    await expect.poll(() => goesOn().catch(({ code }) => code), { timeout: 10_000, interval: 5 }).toBe(until);
    await expectWhole();
  });

  it('continues when another process frees the disk', async () => {
    await log.append(batch());
    seq += 10;
    takeRest();
    // Preallocated space is used up first.
    expect(await fillUp()).toMatchObject({ code: 'log_full' });
    const next = (await log.bounds(AT)).next;
    expect(next).toBe(seq);
    rmSync(filler);
    await expect
      .poll(() =>
        log.append(batch()).then(
          () => 'accepted',
          ({ code }) => code,
        ),
      )
      .toBe('accepted');
    seq += 10;
    await expectWhole();
  });

  it('never writes more than the disk can hold, even if others fill it at any moment', async () => {
    // The log's last check of the disk is outdated immediately; it only admits writes into space that it has reserved
    // before. A busy machine may be so slow that it has checked again.
    let accepted = false;
    for (let attempt = 0; attempt < 20 && !accepted; attempt += 1) {
      rmSync(filler, { force: true });
      await sleep(100);
      await log.append(batch());
      seq += 10;
      takeRest();
      accepted = await log.append(batch(40_000)).then(
        () => true,
        () => false,
      );
      if (accepted) seq += 10;
    }
    expect(accepted).toBe(true);
    const before = await log.bounds(AT);
    await expect(log.append(batch(400_000))).rejects.toMatchObject({ code: 'log_full', canRetry: true });
    expect(await log.bounds(AT)).toEqual(before);
    await expectWhole();
    rmSync(filler);
    await expect
      .poll(() =>
        log.append(batch(40_000)).then(
          () => 'accepted',
          ({ code }) => code,
        ),
      )
      .toBe('accepted');
    seq += 10;
    await expectWhole();
  });
});
