import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EventLog, LogReader, LogRecord } from '#infra/log/log';
import { RawPartition } from './raw-partition.ts';

const AT = { topic: 'raw.venue_a.ws', partition: 0 };

/** A log with one partition that counts its readers. */
class FakeLog {
  records: LogRecord[] = [];
  first = 0;
  opened = 0;
  open = 0;
  /** True if readers return no records. */
  isSilent = false;

  fill(from: number, to: number, bytes = 10): void {
    for (let offset = from; offset <= to; offset += 1)
      this.records.push({
        ...AT,
        key: 'slot',
        value: Buffer.alloc(bytes),
        receivedAt: 1,
        seq: 1,
        offset,
        appendedAt: 1,
      });
  }

  readonly log: Pick<EventLog, 'bounds' | 'reader'> = {
    bounds: async () => ({ first: this.first, next: (this.records.at(-1)?.offset ?? -1) + 1 }),
    reader: async ([from]) => {
      this.opened += 1;
      this.open += 1;
      let next = from!.offset;
      const poll = async (max: number) => {
        const available = this.isSilent
          ? []
          : this.records.filter(({ offset }) => offset >= Math.max(next, this.first));
        const records = available.slice(0, max);
        next = (records.at(-1)?.offset ?? next - 1) + 1;
        return { records, watermarks: [] };
      };
      const close = async () => {
        this.open -= 1;
      };
      return { poll, pause: () => {}, endWaits: () => {}, close } satisfies LogReader;
    },
  };
}

function openPartition(fake: FakeLog, signal = new AbortController().signal): RawPartition {
  return new RawPartition({ log: fake.log, at: AT, signal });
}
const offsetOf = (found: Awaited<ReturnType<RawPartition['read']>>) =>
  typeof found === 'string' ? found : found.offset;

afterEach(() => {
  vi.useRealTimers();
});

describe('reading a partition by offsets', () => {
  it('goes forward with one reader, however many records are read', async () => {
    const fake = new FakeLog();
    fake.fill(0, 9_999);
    const partition = openPartition(fake);
    for (let offset = 0; offset < 10_000; offset += 7) expect(offsetOf(await partition.read(offset))).toBe(offset);
    expect(fake.opened).toBe(1);
    await partition.close();
    expect(fake.open).toBe(0);
  });

  it('caches the newest records for reads that come a little later', async () => {
    const fake = new FakeLog();
    fake.fill(0, 3_000);
    const partition = openPartition(fake);
    await partition.read(500);
    await partition.read(1_000);
    for (const offset of [1_000, 999, 500, 1_001]) {
      expect(offsetOf(await partition.read(offset))).toBe(offset);
      expect(offsetOf(partition.peek(offset)!)).toBe(offset);
    }
    expect(fake.opened).toBe(1);
  });

  it('caches a bounded number of records and bytes', async () => {
    for (const bytes of [10, 100_000]) {
      const fake = new FakeLog();
      fake.fill(0, 6_000, bytes === 10 ? bytes : 10_000);
      const partition = openPartition(fake);
      await partition.read(0);
      for (let offset = 0; offset <= 6_000; offset += 1) await partition.read(offset);
      const available = fake.records.filter(({ offset }) => partition.peek(offset) !== undefined);
      expect(available.length).toBeLessThanOrEqual(2_049 + 256);
      expect(available.reduce((sum, { value }) => sum + value!.length, 0)).toBeLessThanOrEqual(5 * 1024 * 1024);
      expect(fake.opened).toBe(1);
    }
  });

  it('opens another reader for a record far ahead or behind the cache, and closes the previous one', async () => {
    const fake = new FakeLog();
    fake.fill(0, 20_000);
    const partition = openPartition(fake);
    for (const [offset, opened] of [
      [0, 1],
      [15_000, 2],
      [20, 3],
      [21, 3],
    ] as const) {
      expect(offsetOf(await partition.read(offset))).toBe(offset);
      expect([fake.opened, fake.open]).toEqual([opened, 1]);
    }
    expect(partition.bytesRead).toBeLessThan(4 * 256 * 10);
  });
});

describe('an absent record', () => {
  it('was removed if it lies below the first retained one, which is looked up once', async () => {
    const fake = new FakeLog();
    fake.fill(0, 100);
    fake.first = 50;
    const partition = openPartition(fake);
    expect(await partition.read(3)).toBe('removed');
    expect(partition.peek(49)).toBe('removed');
    expect(fake.opened).toBe(0);
    expect(offsetOf(await partition.read(50))).toBe(50);
  });

  it('was removed if retention is faster than the reader', async () => {
    const fake = new FakeLog();
    fake.fill(0, 1_000);
    const partition = openPartition(fake);
    await partition.read(0);
    fake.first = 900;
    expect(await partition.read(600)).toBe('removed');
    expect(offsetOf(await partition.read(950))).toBe(950);
  });

  it('is missing if the log continues after it', async () => {
    const fake = new FakeLog();
    fake.fill(0, 10);
    fake.fill(12, 20);
    const partition = openPartition(fake);
    expect(await partition.read(11)).toBe('missing');
    expect(offsetOf(await partition.read(12))).toBe(12);
    expect(await partition.read(11)).toBe('missing');
  });
});

describe('a log that returns nothing', () => {
  /** Makes a poll take its whole timeout. */
  function silent(fake: FakeLog): void {
    vi.useFakeTimers({ toFake: ['Date'] });
    fake.isSilent = true;
    const { reader } = fake.log;
    Object.assign(fake.log, {
      reader: async (from: Parameters<typeof reader>[0]) => {
        const opened = await reader(from);
        const poll = async (max: number, timeoutMs: number) => {
          vi.setSystemTime(Date.now() + timeoutMs);
          return opened.poll(max, timeoutMs);
        };
        return { ...opened, poll };
      },
    });
  }

  it('is unavailable after half a minute if it should hold the record, and is read further on the next call', async () => {
    const fake = new FakeLog();
    fake.fill(0, 10);
    silent(fake);
    const partition = openPartition(fake);
    await expect(partition.read(5)).rejects.toMatchObject({ code: 'log_unavailable', canRetry: true });
    fake.isSilent = false;
    expect(offsetOf(await partition.read(5))).toBe(5);
    expect(fake.opened).toBe(1);
  });

  it('does not hold a record beyond its end', async () => {
    const fake = new FakeLog();
    fake.fill(0, 10);
    silent(fake);
    expect(await openPartition(fake).read(11)).toBe('missing');
  });

  it('is not waited for after the read was cancelled', async () => {
    const fake = new FakeLog();
    fake.fill(0, 10);
    silent(fake);
    const partition = openPartition(fake, AbortSignal.abort());
    await expect(partition.read(5)).rejects.toMatchObject({ code: 'log_closed', canRetry: false });
  });
});
