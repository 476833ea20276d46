import { describe, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import { createHealth } from '#infra/telemetry/health';
import { Readiness } from './readiness.ts';
import { silentLogger } from './testing/open-publisher.fixture.ts';

function setUp() {
  const health = createHealth();
  return { readiness: new Readiness(health, silentLogger), state: () => health.report().parts.ingest, health };
}

describe('readiness of ingest', () => {
  it('comes with the last of what is expected, once', () => {
    const { readiness, state } = setUp();
    const [first, second] = [readiness.expect('one'), readiness.expect('two')];
    first();
    first();
    expect(state()).toBe('starting');
    second();
    expect(state()).toBe('ready');
  });

  it('says that the disk is full, and afterwards what it was before', () => {
    const { readiness, state, health } = setUp();
    const done = readiness.expect('one');
    readiness.logTrouble(new LogError('log_full', 'no room'));
    expect(state()).toMatch(/no room on the disk/);
    done();
    expect(health.report().status).toBe('degraded');
    readiness.logTrouble(null);
    expect(state()).toBe('ready');
  });

  it('says that the log cannot be reached', () => {
    const { readiness, state } = setUp();
    readiness.expect('one');
    readiness.logTrouble(new LogError('log_unavailable', 'no broker'));
    expect(state()).toMatch(/cannot be reached/);
    readiness.logTrouble(null);
    expect(state()).toBe('starting');
  });

  it('says how far the clock is behind and what to do, until it is not', () => {
    const { readiness, health } = setUp();
    readiness.expect('one')();
    readiness.clockBehind(4_000);
    expect(health.report()).toMatchObject({ status: 'ok', parts: { ingest: 'ready' } });
    readiness.clockBehind(86_400_000);
    expect(health.report()).toMatchObject({
      status: 'degraded',
      parts: { clock: expect.stringMatching(/86400 s behind .* 240 hours: set the clock .* --data-dir/) },
    });
    readiness.clockBehind(4_000);
    expect(health.report().status).toBe('degraded');
    readiness.clockBehind(0);
    expect(health.report().status).toBe('ok');
  });

  it('does not recover from a failure for good', () => {
    const { readiness, state } = setUp();
    const done = readiness.expect('one');
    readiness.fail(new Error('x.ndjson line 2 cannot be read'));
    done();
    readiness.logTrouble(null);
    expect(state()).toBe('x.ndjson line 2 cannot be read');
  });
});
