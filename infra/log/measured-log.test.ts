import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { type EventLog, LogError, type LogErrorCode } from './log.ts';
import { measuredLog } from './measured-log.ts';

it('counts appends, and the time between the first failure and the next success', async () => {
  let failure: LogErrorCode | null = null;
  const log = {
    append: async () => {
      if (failure) throw new LogError(failure, 'a test');
    },
  } as unknown as EventLog;
  const metrics = createMetrics();
  const measured = measuredLog(log, metrics);
  const unavailable = async () => (await metrics.logUnavailable.get()).values[0]!.value;

  await measured.append([]);
  failure = 'log_too_large';
  await expect(measured.append([])).rejects.toMatchObject({ code: 'log_too_large' });
  await sleep(20);
  failure = null;
  await measured.append([]);
  expect(await unavailable()).toBe(0);

  failure = 'log_unavailable';
  await expect(measured.append([])).rejects.toThrow();
  await sleep(20);
  await expect(measured.append([])).rejects.toThrow();
  const during = await unavailable();
  expect(during).toBeGreaterThan(0.015);
  await sleep(20);
  failure = null;
  await measured.append([]);
  const after = await unavailable();
  expect(after - during).toBeGreaterThan(0.015);
  await sleep(20);
  await measured.append([]);
  expect(await unavailable()).toBe(after);

  const { values } = await metrics.logAppends.get();
  expect(values.find(({ metricName }) => metricName?.endsWith('_count'))!.value).toBe(7);
});
