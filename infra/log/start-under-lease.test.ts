import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../telemetry/health.ts';
import { type EventLog, type LeaseOptions, LogError } from './log.ts';
import { startUnderLease } from './start-under-lease.ts';

/** A log whose one lease is had when the test says so. */
function setup({ taken }: { taken: boolean }) {
  const told: string[] = [];
  let give = () => {};
  let lose: (error: Error) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  const lease = async (_name: string, _topics: readonly string[], { onStandby, signal }: LeaseOptions = {}) => {
    if (taken) {
      onStandby?.();
      await new Promise<void>((resolve, reject) => {
        give = resolve;
        signal?.addEventListener('abort', () => reject(new LogError('log_locked', 'waits no more')));
      });
    }
    told.push('leased');
    return { lost, promisedUntil: Number.NEGATIVE_INFINITY, release: async () => void told.push('released') };
  };
  const health = createHealth();
  const context = { log: { lease } as unknown as EventLog, logger: pino({ level: 'silent' }), health };
  const start = async () => {
    told.push('started');
    health.ready('part');
    return { close: async () => void told.push('closed') };
  };
  health.expect('part');
  const run = (from = start) => startUnderLease({ context, part: 'part', lease: 'l', topics: [], start: from });
  return { told, health, run, give: () => give(), lose: (error: Error) => lose(error) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a part that starts under a lease', () => {
  it('is started when that resolves, where nobody else has it, and gives it up last', async () => {
    const { told, health, run } = setup({ taken: false });
    const running = await run();
    expect(told).toEqual(['leased', 'started']);
    expect(health.report().extras).toEqual({});
    await running.close();
    expect(told).toEqual(['leased', 'started', 'closed', 'released']);
  });

  it('stands by while another process has it, and takes over', async () => {
    const { told, health, run, give } = setup({ taken: true });
    const running = await run();
    expect(told).toEqual([]);
    expect(health.report()).toMatchObject({ status: 'ok', extras: { part: 'standby' } });
    give();
    await turn();
    expect(told).toEqual(['leased', 'started']);
    expect(health.report()).toMatchObject({ status: 'ok', extras: { part: 'active' } });
    await running.close();
    expect(told.slice(2)).toEqual(['closed', 'released']);
  });

  it('closes while it stands by', async () => {
    const { told, health, run } = setup({ taken: true });
    const running = await run();
    await running.close();
    expect(told).toEqual([]);
    expect(health.report().status).toBe('ok');
  });

  it('has failed for good once another process has taken over', async () => {
    const { health, run, lose } = setup({ taken: false });
    const running = await run();
    lose(new LogError('log_fenced', 'the lease l is lost'));
    expect(await health.failure).toMatchObject({
      part: 'part',
      message: expect.stringContaining('the lease l is lost'),
    });
    await running.close();
  });

  it('rejects when it cannot start, and has failed when that is seen only after standing by', async () => {
    const broken = async () => {
      throw new Error('broken');
    };
    const first = setup({ taken: false });
    await expect(first.run(broken)).rejects.toThrow('broken');
    expect(first.told).toEqual(['leased', 'released']);
    const second = setup({ taken: true });
    const running = await second.run(broken);
    second.give();
    expect(await second.health.failure).toMatchObject({ part: 'part' });
    await running.close();
    expect(second.told).toEqual(['leased', 'released']);
  });
});
