import { describe, expect, it } from 'vitest';
import { createHealth, PartFailedError } from './health.ts';

describe('health', () => {
  it('is ok only if every reported part is ready', () => {
    const health = createHealth();
    health.expect('sink');
    expect(health.report().status).toBe('starting');
    health.ready('sink');
    expect(health.report()).toMatchObject({ status: 'ok', parts: { sink: 'ready' } });
    health.degraded('sink', 'the store is unavailable');
    expect(health.report()).toMatchObject({ status: 'degraded', parts: { sink: 'the store is unavailable' } });
    health.ready('sink');
    expect(health.report().status).toBe('ok');
  });

  it('never clears a part that stopped permanently, and resolves with the first of them', async () => {
    const health = createHealth();
    const cause = new Error('the reason');
    health.failed('sink', cause);
    health.failed('stage candles', new Error('another'), 'in its own words');
    for (const clear of [health.ready, health.expect]) clear('sink');
    health.degraded('sink', 'and more');
    expect(health.report()).toMatchObject({
      status: 'degraded',
      parts: { sink: 'failed and stopped; see the log', 'stage candles': 'in its own words' },
    });
    const failure = await health.failure;
    expect(failure).toBeInstanceOf(PartFailedError);
    expect(failure).toMatchObject({ part: 'sink', cause, message: 'sink stopped permanently: the reason' });
  });
});
