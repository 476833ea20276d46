import { describe, expect, it, vi } from 'vitest';
import { LogError } from '#infra/log/log';
import { createHealth } from '#infra/telemetry/health';
import { Readiness } from './readiness.ts';
import { silentLogger } from './testing/open-publisher.fixture.ts';

function setUp() {
  const health = createHealth();
  return { readiness: new Readiness(health, silentLogger), state: () => health.report().parts.ingest, health };
}

describe('readiness of ingest', () => {
  it('is ready once every expected part has data', () => {
    const { readiness, state } = setUp();
    const [first, second] = [readiness.expect('one'), readiness.expect('two')];
    first();
    first();
    expect(state()).toBe('starting');
    second();
    expect(state()).toBe('ready');
  });

  it('waits for the data of a part for at most two minutes', () => {
    vi.useFakeTimers();
    try {
      const { readiness, state } = setUp();
      const [first, away] = [readiness.expect('one'), readiness.expect('a venue that is away')];
      first();
      vi.advanceTimersByTime(119_999);
      expect(state()).toBe('starting');
      vi.advanceTimersByTime(1);
      expect(state()).toBe('ready');
      away();
      expect(state()).toBe('ready');
    } finally {
      vi.useRealTimers();
    }
  });

  it('reports a full disk, and returns to its previous state afterwards', () => {
    const { readiness, state, health } = setUp();
    const done = readiness.expect('one');
    readiness.logStatus(new LogError('log_full', 'no room'));
    expect(state()).toMatch(/the disk of the log is full/);
    done();
    expect(health.report().status).toBe('degraded');
    readiness.logStatus(null);
    expect(state()).toBe('ready');
  });

  it('reports an unreachable log', () => {
    const { readiness, state } = setUp();
    readiness.expect('one');
    readiness.logStatus(new LogError('log_unavailable', 'no broker'));
    expect(state()).toMatch(/unreachable/);
    readiness.logStatus(null);
    expect(state()).toBe('starting');
  });

  it('reports how far the clock is behind and what to do, until it has caught up', () => {
    const { readiness, health } = setUp();
    readiness.expect('one')();
    readiness.clockBehind(4_000);
    expect(health.report()).toMatchObject({ status: 'ok', parts: { ingest: 'ready' } });
    readiness.clockBehind(86_400_000);
    expect(health.report()).toMatchObject({
      status: 'degraded',
      parts: { clock: expect.stringMatching(/86400 s behind .* 240 hours: correct the clock .* --data-dir/) },
    });
    readiness.clockBehind(4_000);
    expect(health.report().status).toBe('degraded');
    readiness.clockBehind(0);
    expect(health.report().status).toBe('ok');
  });

  it('stays failed after a permanent failure', () => {
    const { readiness, state } = setUp();
    const done = readiness.expect('one');
    readiness.fail(new Error('x.ndjson line 2 cannot be read'));
    done();
    readiness.logStatus(null);
    expect(state()).toBe('x.ndjson line 2 cannot be read');
  });
});
