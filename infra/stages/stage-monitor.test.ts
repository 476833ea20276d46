import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogError } from '../log/log.ts';
import { createHealth, type Health } from '../telemetry/health.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { healthResponse } from '../telemetry/ops-server.ts';
import { StageMonitor } from './stage-monitor.ts';

const START = 1_000_000;
let now: number;
let live: boolean;
let position: number | null;
let end: number | LogError;
let logged: { level: number; msg: string }[];
let health: Health;
let metrics: Metrics;
let monitor: StageMonitor;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  [now, live, position, end, logged] = [START, true, START, 0, []];
  health = createHealth();
  metrics = createMetrics();
  health.ready('processors');
  const logger: Logger = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const offsets = [{ topic: 'raw.test', partition: 0, offset: 100 }];
  const stage = { name: 'spreads', progress: () => ({ position, newest: now, processed: 5, heldBytes: 7, offsets }) };
  const bounds = async () => {
    if (end instanceof LogError) throw end;
    return { first: 0, next: end };
  };
  const clock = { isLive: () => live, now: () => now };
  monitor = new StageMonitor({ stages: [stage], clock, log: { bounds }, logger, health, metrics });
});
afterEach(() => void vi.useRealTimers());

/** Samples again after a while. */
async function wait(ms = 600): Promise<void> {
  vi.advanceTimersByTime(ms);
  await monitor.sample();
}
const metric = async (name: string) =>
  (await metrics.registry.metrics()).split('\n').find((line) => line.startsWith(`${name}{`));

describe('a stage that is more than 5 s behind', () => {
  it('degrades /health with its backlog until it has caught up, and is logged', async () => {
    [now, end] = [START + 5_000, 400];
    await wait();
    expect(healthResponse(health)).toMatchObject({ statusCode: 200, body: { status: 'ok' } });
    expect(healthResponse(health).body).not.toHaveProperty('backlog');
    now = START + 5_001;
    await wait();
    const { statusCode, body } = healthResponse(health);
    expect(statusCode).toBe(503);
    expect(body).toMatchObject({
      status: 'degraded',
      parts: { processors: 'ready', 'stage spreads': '5 s behind, 300 records left' },
      backlog: [{ stage: 'spreads', lagSeconds: 5, records: 300 }],
    });
    expect(logged).toMatchObject([{ level: 40, msg: expect.stringContaining('behind') }]);
    await wait(5_000);
    expect(logged).toHaveLength(1);
    await wait(6_000);
    expect(logged).toHaveLength(2);
    position = now;
    await wait();
    expect(healthResponse(health).body.status).toBe('ok');
    expect(logged.at(-1)).toMatchObject({ level: 30, msg: 'all stages are up to date again' });
  });

  it('reports its current lag in the metrics', async () => {
    [now, end] = [START + 1_500, 107];
    await wait();
    expect(await metric('parallax_stage_lag_seconds')).toBe('parallax_stage_lag_seconds{stage="spreads"} 1.5');
    expect(await metric('parallax_stage_lag_records')).toBe('parallax_stage_lag_records{stage="spreads"} 7');
    expect(await metric('parallax_stage_held_bytes')).toBe('parallax_stage_held_bytes{stage="spreads"} 7');
    end = new LogError('log_unavailable', 'away');
    await wait();
    expect(await metric('parallax_stage_lag_records')).toBeUndefined();
    monitor.unregister();
    expect(await metric('parallax_stage_lag_seconds')).toBeUndefined();
  });

  it('does not hide its other failures', async () => {
    health.degraded('stage spreads', 'schema registry unavailable');
    now = START + 60_000;
    await wait();
    expect(healthResponse(health).body).toMatchObject({
      parts: { 'stage spreads': 'schema registry unavailable' },
      backlog: [{ lagSeconds: 60 }],
    });
    health.ready('stage spreads');
    expect(healthResponse(health).body.parts['stage spreads']).toMatch(/^60 s behind/);
  });

  it('does not fill the log when its lag is around the limit', async () => {
    for (const lagMs of [5_001, 4_900, 5_100, 4_800]) {
      position = now - lagMs;
      await wait();
    }
    expect(logged).toHaveLength(1);
    position = now;
    await wait();
    expect(logged).toHaveLength(2);
  });

  it('is reported without degrading while a recording is played', async () => {
    [now, live] = [START + 3_600_000, false];
    await wait();
    expect(healthResponse(health).body).toMatchObject({ status: 'ok', backlog: [{ lagSeconds: 3_600 }] });
    expect(logged).toEqual([]);
  });

  it('has an unknown number of records while the log is unavailable', async () => {
    [now, end] = [START + 60_000, new LogError('log_unavailable', 'away')];
    await wait();
    expect(healthResponse(health).body).toMatchObject({ backlog: [{ lagSeconds: 60, records: null }] });
  });
});

it('a stage is not behind while nothing is known of its inputs', async () => {
  [now, position] = [START + 60_000, null];
  await wait();
  expect(healthResponse(health).body.status).toBe('ok');
});
