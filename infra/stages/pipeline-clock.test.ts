import { expect, it } from 'vitest';
import { LogError, type LogRecord } from '../log/log.ts';
import { openPipelineClock } from './pipeline-clock.ts';

const aMark = (receivedAt: number, appendedAt: number): LogRecord => ({
  topic: 'control.clock',
  partition: 0,
  offset: 0,
  seq: 1,
  key: 'clock',
  value: Buffer.alloc(0),
  receivedAt,
  appendedAt,
});

async function openOver(mark: LogRecord | null) {
  const clock = await openPipelineClock({ createTopics: async () => {}, last: async () => mark });
  await clock.close();
  return clock;
}

it("is the machine's clock where marks are appended at their time, and never behind what is known", async () => {
  const clock = await openOver(aMark(Date.now() - 50_000, Date.now()));
  expect(clock.isLive()).toBe(true);
  expect(Math.abs(clock.now(null)! - Date.now())).toBeLessThan(1_000);
  expect(clock.now(5)).toBeGreaterThan(Date.now() - 1_000);
  expect(clock.now(Date.now() + 60_000)).toBeGreaterThan(Date.now() + 50_000);
});

it.each([
  ['the marks of a recording', aMark(Date.UTC(2026, 0, 1), Date.UTC(2026, 5, 1))],
  ['no mark', null],
])('is the newest time that is known with %s', async (_what, mark) => {
  const clock = await openOver(mark);
  expect(clock.isLive()).toBe(false);
  expect([clock.now(5), clock.now(null)]).toEqual([5, null]);
});

it('rejects at its start where the log does', async () => {
  const last = async () => Promise.reject(new LogError('log_closed', 'closed'));
  await expect(openPipelineClock({ createTopics: async () => {}, last })).rejects.toMatchObject({ code: 'log_closed' });
});
