import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Running } from '../context.ts';
import { createHealth, type Health } from '../telemetry/health.ts';
import { beginLifetime, type Lifetime } from './lifetime.ts';

const TIMEOUT_MS = 60;
let [signals, health, exit, logged] = [new EventEmitter(), createHealth() as Health, vi.fn(), [] as string[]];
let lifetime: Lifetime;
beforeEach(() => {
  [signals, health, exit, logged] = [new EventEmitter(), createHealth(), vi.fn(), []];
  // Its own: what an earlier test left behind still ends, and says so.
  const lines = logged;
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  lifetime = beginLifetime({ logger, health, signals, exit, closeTimeoutMs: TIMEOUT_MS });
});

const part = (close: () => Promise<void>): Running => ({ close });
const fatal = () => logged.filter((line) => line.includes('"level":60'));

describe('the lifetime of the service', () => {
  it.each(['SIGINT', 'SIGTERM'])('is over at %s, and is closed once however many more come', async (signal) => {
    expect(lifetime.isOver()).toBe(false);
    signals.emit(signal);
    expect(lifetime.isOver()).toBe(true);
    expect(await lifetime.over).toBeNull();
    signals.emit(signal);
    const closed: string[] = [];
    const parts = ['log', 'ingest'].map((name) => part(async () => void closed.push(name)));
    expect(await lifetime.close(parts)).toBe(true);
    expect(closed).toEqual(['ingest', 'log']);
    expect(fatal()).toEqual([]);
  });

  it('is over when a part stopped for good, with one line that names it', async () => {
    health.failed('stage candles', new Error('the reason'));
    health.failed('sink', new Error('what follows from it'));
    expect(await lifetime.over).toMatchObject({
      part: 'stage candles',
      message: expect.stringContaining('the reason'),
    });
    expect(lifetime.isOver()).toBe(true);
    expect(fatal()).toHaveLength(1);
    expect(JSON.parse(fatal()[0]!)).toMatchObject({
      part: 'stage candles',
      msg: 'stage candles stopped for good: the reason; the process ends',
    });
    await lifetime.close([]);
  });

  it('closes the other parts when one does not close cleanly, and says so', async () => {
    const closeLog = vi.fn(async () => {});
    expect(await lifetime.close([part(closeLog), part(() => Promise.reject(new Error('no')))])).toBe(false);
    expect(closeLog).toHaveBeenCalledOnce();
    expect(logged.join()).toContain('did not close cleanly');
  });

  it('ends the process when closing does not', async () => {
    signals.emit('SIGINT');
    void lifetime.close([part(() => new Promise(() => {}))]);
    await sleep(TIMEOUT_MS / 2);
    expect(exit).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(1));
    expect(fatal()).toHaveLength(1);
  });

  it('ends the process also when a signal comes in the middle of a start that does not end', async () => {
    signals.emit('SIGTERM');
    await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(1));
  });
});
