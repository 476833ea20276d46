import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordOf } from './conformance/records.fixture.ts';
import { type EventLog, LogError, type LogReader, type LogRecord } from './log.ts';
import { readUntil } from './read-until.ts';

const AT = { topic: 'a', partition: 0 };
const record = (offset: number): LogRecord => ({ ...recordOf(AT, offset + 1), offset, appendedAt: 0 });

/** A log whose reader returns one of these batches per poll, and nothing after the last one. */
function logOf(batches: readonly (readonly LogRecord[])[], last: LogRecord | null) {
  let polls = 0;
  const close = vi.fn(async () => {});
  const reader = vi.fn(
    async (): Promise<LogReader> => ({
      pause: () => {},
      endWaits: () => {},
      close,
      async poll(_max, timeoutMs) {
        const records = batches[polls] ?? [];
        polls += 1;
        if (records.length === 0) await vi.advanceTimersByTimeAsync(timeoutMs);
        return { records, watermarks: [] };
      },
    }),
  );
  const log: Pick<EventLog, 'reader' | 'last'> = { reader, last: async () => last };
  return { log, close, reader };
}
async function offsetsOf(log: Pick<EventLog, 'reader' | 'last'>, from: number, last: number) {
  const offsets: number[] = [];
  for await (const records of readUntil(log, AT, { from, last })) offsets.push(...records.map(({ offset }) => offset));
  return offsets;
}

describe('reading up to the end', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('continues after empty polls', async () => {
    const { log, close } = logOf([[], [record(0)], [], [], [record(1), record(3)], [record(9)]], record(3));
    expect(await offsetsOf(log, 0, 3)).toEqual([0, 1, 3]);
    expect(close).toHaveBeenCalledOnce();
  });

  it('rejects with a transient error if nothing arrives for half a minute', async () => {
    const { log, close } = logOf([[record(0)]], record(3));
    const began = Date.now();
    await expect(offsetsOf(log, 0, 3)).rejects.toMatchObject({ code: 'log_unavailable', canRetry: true });
    expect(Date.now() - began).toBe(30_000);
    expect(close).toHaveBeenCalledOnce();
  });

  it('measures silence from the last record that arrived', async () => {
    const silence = Array.from({ length: 5 }, () => []);
    const { log } = logOf([...silence, [record(0)], ...silence, [record(1)]], record(1));
    expect(await offsetsOf(log, 0, 1)).toEqual([0, 1]);
  });

  it('ends if the rest was removed meanwhile', async () => {
    expect(await offsetsOf(logOf([[record(0)]], null).log, 0, 3)).toEqual([0]);
    expect(await offsetsOf(logOf([[record(0)]], record(0)).log, 0, 3)).toEqual([0]);
  });

  it('opens no reader if there is nothing to read', async () => {
    const { log, reader } = logOf([], null);
    expect(await offsetsOf(log, 4, 3)).toEqual([]);
    expect(reader).not.toHaveBeenCalled();
  });

  it('closes the reader if the caller leaves the loop, and forwards errors of the log', async () => {
    const { log, close } = logOf([[record(0)], [record(1)]], record(1));
    for await (const [first] of readUntil(log, AT, { from: 0, last: 1, pollRecords: 1 })) {
      expect(first?.offset).toBe(0);
      break;
    }
    expect(close).toHaveBeenCalledOnce();
    const failing = { ...log, reader: async () => Promise.reject(new LogError('log_closed', 'closed')) };
    await expect(offsetsOf(failing, 0, 1)).rejects.toMatchObject({ code: 'log_closed' });
  });
});
