/** Behaviour of the embedded log between processes: a killed writer, a second writer, a reader beside the writer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asAppended } from '../conformance/records.fixture.ts';
import type { EventLog, LogRecord } from '../log.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';
import { BATCH_RECORDS, largeRecordNumber, recordNumber, WRITER_TOPIC } from './writer-records.fixture.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const RUN_TS = join(HERE, '..', '..', 'testing', 'run-ts.mjs');
const WRITER = join(HERE, 'writer-process.fixture.ts');
const TIMEOUT_MS = 60_000;

interface Writer {
  readonly process: ChildProcess;
  /** Every number that it printed so far, the newest last. */
  readonly acknowledged: number[];
  /** Resolves once it has printed this many lines. */
  lines(count: number): Promise<void>;
  kill(): Promise<void>;
}

function startWriter(path: string, mode: 'forever' | 'resume' | 'on-demand'): Writer {
  const child = spawn(process.execPath, [RUN_TS, WRITER, path, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  let printed = 0;
  let wake = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    printed += 1;
    if (line !== 'ready') acknowledged.push(Number(line));
    wake();
  });
  return {
    process: child,
    acknowledged,
    async lines(count) {
      const deadline = Date.now() + TIMEOUT_MS;
      while (printed < count) {
        if (Date.now() > deadline || child.exitCode !== null) throw new Error(`the writer printed ${printed} lines`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 200);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function readAll(log: EventLog): Promise<LogRecord[]> {
  const at = [0, 1].map((partition) => ({ topic: WRITER_TOPIC, partition }));
  const bounds = await Promise.all(at.map((one) => log.bounds(one)));
  const reader = await log.reader(at.map((one, index) => ({ ...one, offset: bounds[index]!.first })));
  const records: LogRecord[] = [];
  const expected = bounds.reduce((sum, { first, next }) => sum + next - first, 0);
  while (records.length < expected) records.push(...(await reader.poll(10_000, 1_000)).records);
  await reader.close();
  return records.sort((a, b) => a.seq - b.seq);
}

describe('the embedded log between processes', { timeout: TIMEOUT_MS * 2 }, () => {
  let path: string;
  let writer: Writer | null = null;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'parallax-processes-'));
  });
  afterEach(async () => {
    await writer?.kill();
    rmSync(path, { recursive: true, force: true });
  });

  it('contains every acknowledged record after kill -9, each batch complete, and accepts the next writer', async () => {
    for (let round = 0; round < 2; round += 1) {
      writer = startWriter(path, 'forever');
      await writer.lines(30 + round * 7);
      await writer.kill();
      const last = writer.acknowledged.at(-1)!;
      const log = await openEmbeddedLog({ path });
      const records = await readAll(log);
      expect(records.length).toBeGreaterThanOrEqual(last);
      expect(records.length % BATCH_RECORDS).toBe(0);
      expect(records.map(asAppended)).toEqual(records.map((_, index) => recordNumber(index + 1)));
      await log.clearTopic(WRITER_TOPIC);
      await log.close();
    }
  });

  it('refuses a second writing process in one clear line while the first lives', async () => {
    writer = startWriter(path, 'on-demand');
    await writer.lines(1);
    const refused = await openEmbeddedLog({ path }).catch((error) => error);
    expect(refused).toMatchObject({ name: 'LogError', code: 'log_locked', canRetry: false });
    expect(refused.message).not.toContain('\n');
    expect(refused.message).toContain(path);
    await writer.kill();
    const log = await openEmbeddedLog({ path });
    await log.close();
  });

  it('lets another process read at the same time, and refuses its writes', async () => {
    writer = startWriter(path, 'on-demand');
    await writer.lines(1);
    const log = await openEmbeddedLog({ path, readOnly: true });
    const reader = await log.reader([0, 1].map((partition) => ({ topic: WRITER_TOPIC, partition, offset: 0 })));
    for (let seq = 1; seq <= 5; seq += 1) {
      const began = performance.now();
      writer.process.stdin!.write('\n');
      const { records } = await reader.poll(10, TIMEOUT_MS);
      expect(records.map(asAppended)).toEqual([recordNumber(seq)]);
      // The contract is 50 ms; a loaded machine may add to it.
      expect(performance.now() - began).toBeLessThan(1_000);
    }
    expect((await log.last({ topic: WRITER_TOPIC, partition: 1 }))?.seq).toBe(5);
    const locked = expect.objectContaining({ code: 'log_locked' });
    await expect(log.append([recordNumber(6)])).rejects.toEqual(locked);
    await expect(log.clearTopic(WRITER_TOPIC)).rejects.toEqual(locked);
    await expect(log.group('g', [WRITER_TOPIC])).rejects.toEqual(locked);
    await expect(log.maintain(0, { rawMaxAgeMs: 1, rawMaxBytes: 1 })).rejects.toEqual(locked);
    await log.close();
  });

  it('returns every record once to a reading process, while it lags and writers are killed', async () => {
    writer = startWriter(path, 'resume');
    await writer.lines(2);
    const log = await openEmbeddedLog({ path, readOnly: true });
    const reader = await log.reader([0, 1].map((partition) => ({ topic: WRITER_TOPIC, partition, offset: 0 })));
    const next = [0, 0];
    const read = async (until: number) => {
      const deadline = Date.now() + TIMEOUT_MS;
      while (next[0]! + next[1]! < until) {
        if (Date.now() > deadline) throw new Error(`read ${next} of ${until} records`);
        for (const record of (await reader.poll(1_000, 500)).records) {
          const { partition } = record;
          expect(record.offset).toBe(next[partition]);
          const expected = largeRecordNumber(2 * record.offset + (partition === 1 ? 1 : 2));
          expect([record.seq, record.key]).toEqual([expected.seq, expected.key]);
          expect(record.value!.equals(expected.value!)).toBe(true);
          next[partition]! += 1;
        }
      }
    };
    for (let round = 0; round < 3; round += 1) {
      await writer.lines(50);
      await read(writer.acknowledged.at(-1)!);
      // The reader does not look meanwhile: journal files are created and removed.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      await writer.lines(300);
      await writer.kill();
      await read(writer.acknowledged.at(-1)!);
      writer = startWriter(path, 'resume');
      await writer.lines(2);
    }
    await read(writer.acknowledged.at(-1)!);
    await log.close();
  });

  it('rejects opening a missing log read-only', async () => {
    await expect(openEmbeddedLog({ path: join(path, 'none'), readOnly: true })).rejects.toMatchObject({
      code: 'log_unavailable',
    });
  });

  it('can be opened for writing only once in a process too', async () => {
    const log = await openEmbeddedLog({ path });
    await expect(openEmbeddedLog({ path })).rejects.toMatchObject({ code: 'log_locked' });
    await log.close();
    const again = await openEmbeddedLog({ path });
    await again.close();
  });
});
