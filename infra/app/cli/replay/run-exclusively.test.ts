import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type EventLog, LogError } from '../../../log/log.ts';
import { type ExclusiveOptions, runExclusively } from './run-exclusively.ts';

/** A log whose lease another process holds for `heldMs`. Waiting calls `onStandby` and can be aborted, as on Kafka. */
function setup(heldMs: number, leaseTimeoutMs: number) {
  const printed: string[] = [];
  const lease: EventLog['lease'] = (_name, _topics, { onStandby, signal } = {}) => {
    onStandby?.();
    return new Promise((resolve, reject) => {
      const lost = new Promise<never>(() => {});
      const timer = setTimeout(
        () => resolve({ lost, promisedUntil: 0, release: async () => void printed.push('released') }),
        heldMs,
      );
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new LogError('log_locked', 'the wait was aborted'));
      });
    });
  };
  const stream = { write: (line: string) => void printed.push((JSON.parse(line) as { msg: string }).msg) };
  const options: ExclusiveOptions = {
    log: { createTopics: async () => {}, lease },
    logger: pino({}, stream),
    leaseTimeoutMs,
  };
  return { printed, run: () => runExclusively(options, [], async () => void printed.push('worked')) };
}

const WAITS =
  'another process (a service with the role processors, or a replay) writes the derived topics; waiting for it to end';

describe('exclusive work', () => {
  it('logs what it waits for and starts once the other process has ended', async () => {
    const { printed, run } = setup(20, 10_000);
    await run();
    expect(printed).toEqual([`${WAITS}, for at most 10 s`, 'worked', 'released']);
  });

  it('rejects with log_locked and names the other process when the wait times out', async () => {
    const { printed, run } = setup(10_000, 20);
    await expect(run()).rejects.toMatchObject({
      code: 'log_locked',
      message: expect.stringMatching(/^another process \(.* or a replay\) .* still does after 0.02 s; stop it or wait/),
    });
    expect(printed).toEqual([`${WAITS}, for at most 0.02 s`]);
  });
});
