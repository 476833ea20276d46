import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../telemetry/health.ts';
import { type EventLog, type LeaseOptions, LogError } from './log.ts';
import { startUnderLease } from './start-under-lease.ts';

/** A log whose lease is granted when the test says so. */
function setup({ isHeld }: { isHeld: boolean }) {
  const events: string[] = [];
  let grant = () => {};
  let lose: (error: Error) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  const lease = async (_name: string, _topics: readonly string[], { onStandby, signal }: LeaseOptions = {}) => {
    if (isHeld) {
      onStandby?.();
      await new Promise<void>((resolve, reject) => {
        grant = resolve;
        signal?.addEventListener('abort', () => reject(new LogError('log_locked', 'waits no more')));
      });
    }
    events.push('leased');
    return { lost, promisedUntil: Number.NEGATIVE_INFINITY, release: async () => void events.push('released') };
  };
  const health = createHealth();
  const context = { log: { lease } as unknown as EventLog, logger: pino({ level: 'silent' }), health };
  const start = async () => {
    events.push('started');
    health.ready('part');
    return { close: async () => void events.push('closed') };
  };
  health.expect('part');
  const run = (from = start) => startUnderLease({ context, part: 'part', lease: 'l', topics: [], start: from });
  return { events, health, run, grant: () => grant(), lose: (error: Error) => lose(error) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a part that starts under a lease', () => {
  it('is started when the call resolves if the lease is free, and releases the lease last', async () => {
    const { events, health, run } = setup({ isHeld: false });
    const running = await run();
    expect(events).toEqual(['leased', 'started']);
    expect(health.report().extras).toEqual({});
    await running.close();
    expect(events).toEqual(['leased', 'started', 'closed', 'released']);
  });

  it('is a standby while another process holds the lease, then becomes leader', async () => {
    const { events, health, run, grant } = setup({ isHeld: true });
    const running = await run();
    expect(events).toEqual([]);
    expect(health.report()).toMatchObject({ status: 'ok', extras: { part: 'standby' } });
    grant();
    await turn();
    expect(events).toEqual(['leased', 'started']);
    expect(health.report()).toMatchObject({ status: 'ok', extras: { part: 'active' } });
    await running.close();
    expect(events.slice(2)).toEqual(['closed', 'released']);
  });

  it('can be closed while it is a standby', async () => {
    const { events, health, run } = setup({ isHeld: true });
    const running = await run();
    await running.close();
    expect(events).toEqual([]);
    expect(health.report().status).toBe('ok');
  });

  it('fails for good once another process has isHeld over', async () => {
    const { health, run, lose } = setup({ isHeld: false });
    const running = await run();
    lose(new LogError('log_fenced', 'the lease l is lost'));
    expect(await health.failure).toMatchObject({
      part: 'part',
      message: expect.stringContaining('the lease l is lost'),
    });
    await running.close();
  });

  it('rejects if it cannot start, and fails in health if it was a standby before', async () => {
    const broken = async () => {
      throw new Error('broken');
    };
    const first = setup({ isHeld: false });
    await expect(first.run(broken)).rejects.toThrow('broken');
    expect(first.events).toEqual(['leased', 'released']);
    const second = setup({ isHeld: true });
    const running = await second.run(broken);
    second.grant();
    expect(await second.health.failure).toMatchObject({ part: 'part' });
    await running.close();
    expect(second.events).toEqual(['leased', 'released']);
  });
});
