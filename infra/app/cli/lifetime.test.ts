import { EventEmitter } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createHealth, type Health } from '../../telemetry/health.ts';
import { type Lifetime, type NamedPart, startLifetime } from './lifetime.ts';

const TIMEOUT_MS = 60;
let [signals, health, logged] = [new EventEmitter(), createHealth() as Health, [] as string[]];
let [kill, exit] = [vi.fn(), vi.fn()];
let lifetime: Lifetime;
beforeEach(() => {
  [signals, health, logged] = [new EventEmitter(), createHealth(), []];
  [kill, exit] = [vi.fn(), vi.fn()];
  // Parts of an earlier test may still close and log, so each test has its own list.
  const lines = logged;
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  lifetime = startLifetime({ logger, health, signals, kill, exit, closeTimeoutMs: TIMEOUT_MS });
});

const part = (close: () => Promise<void>, name = 'a part'): NamedPart => ({ name, running: { close } });
const fatal = () => logged.filter((line) => line.includes('"level":60'));

describe('the lifetime of the service', () => {
  it.each(['SIGINT', 'SIGTERM'])(
    'shuts down on %s and closes its parts once, even if the signal repeats',
    async (signal) => {
      expect(lifetime.isShuttingDown()).toBe(false);
      signals.emit(signal);
      expect(lifetime.isShuttingDown()).toBe(true);
      expect(await lifetime.shutdown).toBeNull();
      signals.emit(signal);
      const closed: string[] = [];
      const parts = ['log', 'ingest'].map((name) => part(async () => void closed.push(name), name));
      expect(await lifetime.close(parts)).toBe(true);
      expect(closed).toEqual(['ingest', 'log']);
      expect(fatal()).toEqual([]);
    },
  );

  it('shuts down when a part fails permanently and logs one line that names the part', async () => {
    health.failed('stage candles', new Error('the reason'));
    health.failed('sink', new Error('a consequence'));
    expect(await lifetime.shutdown).toMatchObject({
      part: 'stage candles',
      message: expect.stringContaining('the reason'),
    });
    expect(lifetime.isShuttingDown()).toBe(true);
    expect(fatal()).toHaveLength(1);
    expect(JSON.parse(fatal()[0]!)).toMatchObject({
      part: 'stage candles',
      msg: 'stage candles stopped permanently: the reason; shutting down',
    });
    await lifetime.close([]);
  });

  it('closes the other parts when one fails to close, and logs the failure', async () => {
    const closeLog = vi.fn(async () => {});
    expect(await lifetime.close([part(closeLog), part(() => Promise.reject(new Error('no')))])).toBe(false);
    expect(closeLog).toHaveBeenCalledOnce();
    expect(logged.join()).toContain('a part failed to close');
  });

  it('kills the process when closing takes longer than the timeout, and names the part that was closing', async () => {
    signals.emit('SIGINT');
    void lifetime.close([part(() => new Promise(() => {}), 'processors'), part(async () => {}, 'ingest')]);
    await sleep(TIMEOUT_MS / 2);
    expect(kill).not.toHaveBeenCalled();
    await expect.poll(() => kill).toHaveBeenCalledOnce();
    expect(fatal().map((line) => JSON.parse(line).part)).toEqual(['processors']);
  });

  it('ends the process with its exit code if a handle is still open after all parts are closed', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    signals.emit('SIGINT');
    expect(await lifetime.close([])).toBe(true);
    await vi.waitFor(() => expect(exit).toHaveBeenCalledOnce(), { timeout: 10_000 });
    server.close();
    expect(kill).not.toHaveBeenCalled();
    expect(logged.at(-1)).toContain('TCPServerWrap');
  });

  it('kills the process when a signal arrives during a start that never finishes', async () => {
    signals.emit('SIGTERM');
    await expect.poll(() => kill).toHaveBeenCalledOnce();
  });
});
