import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type EventLog, LogError } from '../../log/log.ts';
import { type AloneOptions, alone } from './alone.ts';

/** A log whose lease another process holds for so long; its waiter is told and refused as on Kafka. */
function setup(heldMs: number, leaseTimeoutMs: number) {
  const told: string[] = [];
  const lease: EventLog['lease'] = (_name, _topics, { onStandby, signal } = {}) => {
    onStandby?.();
    return new Promise((resolve, reject) => {
      const lost = new Promise<never>(() => {});
      const timer = setTimeout(
        () => resolve({ lost, promisedUntil: 0, release: async () => void told.push('released') }),
        heldMs,
      );
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new LogError('log_locked', 'this one waits no more'));
      });
    });
  };
  const stream = { write: (line: string) => void told.push((JSON.parse(line) as { msg: string }).msg) };
  const options: AloneOptions = {
    log: { createTopics: async () => {}, lease },
    logger: pino({}, stream),
    leaseTimeoutMs,
  };
  return { told, run: () => alone(options, [], async () => void told.push('worked')) };
}

const WAITS =
  'another process, a service with the role processors or a replay, writes the derived topics; waiting for its end';

describe('work that has to be alone', () => {
  it('says whom it waits for, and begins when that has ended', async () => {
    const { told, run } = setup(20, 10_000);
    await run();
    expect(told).toEqual([`${WAITS}, 10 s at most`, 'worked', 'released']);
  });

  it('says who still was there when it gives up', async () => {
    const { told, run } = setup(10_000, 20);
    await expect(run()).rejects.toMatchObject({
      code: 'log_locked',
      message: expect.stringMatching(/^another process, .* or a replay, .* still did after 0.02 s; stop it or wait/),
    });
    expect(told).toEqual([`${WAITS}, 0.02 s at most`]);
  });
});
