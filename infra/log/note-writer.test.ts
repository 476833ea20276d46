import { expect, it } from 'vitest';
import { type AppendRecord, LogError } from './log.ts';
import { NoteWriter } from './note-writer.ts';

const aNote = (receivedAt: number): AppendRecord => ({
  ...{ topic: 't', partition: 0, key: 'k', value: null },
  ...{ receivedAt, seq: 0 },
});
const running = new AbortController().signal;

it('writes no time before that of the newest record, although the clock was set back', async () => {
  const times: number[] = [];
  const newestAt = Date.now() + 3_600_000;
  const append = async (records: readonly AppendRecord[]) => void times.push(...records.map((one) => one.receivedAt));
  const writer = new NoteWriter({ append }, newestAt);
  await writer.write(aNote, running);
  await writer.write(aNote, running);
  expect(times).toEqual([newestAt, newestAt]);
});

it('tries again while the log has no room, until its signal aborts', async () => {
  let attempts = 0;
  const failures: number[] = [];
  const append = async () => {
    attempts += 1;
    if (attempts < 3) throw new LogError('log_full', 'no room on the disk');
  };
  const writer = new NoteWriter({ append }, 0);
  await writer.write(aNote, running, (_error, count) => void failures.push(count));
  expect([attempts, failures]).toEqual([3, [1, 2]]);
  attempts = 0;
  await expect(writer.write(aNote, AbortSignal.abort())).rejects.toThrow('no room');
  expect(attempts).toBe(1);
});
