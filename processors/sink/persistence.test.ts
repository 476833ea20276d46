import { pino } from 'pino';
import { expect, it } from 'vitest';
import { StoreError } from '#infra/store/store';
import { createHealth } from '#infra/telemetry/health';
import { Persistence } from './persistence.ts';

it('stays degraded while one operation fails, also if another one recovers', async () => {
  const health = createHealth();
  health.ready('sink');
  const persistence = new Persistence({
    logger: pino({ level: 'silent' }),
    health,
    closing: new AbortController().signal,
  });
  const stateOf = () => health.report().parts.sink;
  const fault = (message: string) => new StoreError('store_unavailable', message);
  let insertFails = true;
  const insert = persistence.run(async () => {
    if (insertFails) throw fault('no store');
  });
  let polls = 0;
  await persistence.run(async () => {
    polls += 1;
    if (polls === 1) throw fault('no log');
  });
  expect(stateOf()).toBe('no store');
  insertFails = false;
  await insert;
  expect(stateOf()).toBe('ready');
});
