import { describe, expect, it, vi } from 'vitest';
import { CodecError } from './codec/codec.ts';
import { RegistryError } from './codec/confluent-registry.ts';
import { LogError } from './log/log.ts';
import { backoffMs, mayPass, retry } from './retry.ts';

/** Fails so often, then gives `done`. */
function failing(times: number) {
  let calls = 0;
  const operation = async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return 'done';
  };
  return { operation, calls: () => calls };
}

describe('backoffMs', () => {
  it('doubles from 50 ms to 5 s, within 30 percent either way', () => {
    expect([0, 1, 2, 6, 7, 100].map((attempt) => backoffMs(attempt, () => 0.5))).toEqual([
      50, 100, 200, 3_200, 5_000, 5_000,
    ]);
    expect(backoffMs(0, () => 0)).toBeCloseTo(35);
    expect(backoffMs(100, () => 1)).toBeCloseTo(6_500);
  });
});

describe('retry', () => {
  it('gives the result of a first success without a word', async () => {
    const onFailure = vi.fn();
    const onRecovered = vi.fn();
    expect(await retry(failing(0).operation, { canRetry: () => true, onFailure, onRecovered })).toBe('done');
    expect(onFailure).not.toHaveBeenCalled();
    expect(onRecovered).not.toHaveBeenCalled();
  });

  it('tells each failure that another attempt follows, and once that it succeeded', async () => {
    const told: unknown[] = [];
    const onFailure = (error: unknown, failures: number) => void told.push([(error as Error).message, failures]);
    const onRecovered = (failures: number) => void told.push(failures);
    expect(await retry(failing(2).operation, { canRetry: () => true, onFailure, onRecovered })).toBe('done');
    expect(told).toEqual([['failure 1', 1], ['failure 2', 2], 2]);
  });

  it('passes on the error that cannot be tried again, with how many came before', async () => {
    const { operation, calls } = failing(9);
    const onFailure = vi.fn();
    await expect(retry(operation, { canRetry: (_, failures) => failures < 3, onFailure })).rejects.toThrow('failure 3');
    expect(calls()).toBe(3);
    expect(onFailure).toHaveBeenCalledTimes(2);
  });

  it('pauses between attempts', async () => {
    const began = Date.now();
    await retry(failing(2).operation, { canRetry: () => true });
    // 35 and 70 ms at the least.
    expect(Date.now() - began).toBeGreaterThanOrEqual(100);
  });

  it('has the pause at hand cut short by the signal', async () => {
    const closing = new AbortController();
    let abortedAt = 0;
    const done = retry(failing(99).operation, {
      canRetry: (_, failures) => failures < 6,
      onFailure: (_, failures) => {
        // The pause after it would take 560 ms at the least.
        if (failures < 5) return;
        setTimeout(() => {
          abortedAt = Date.now();
          closing.abort();
        }, 10);
      },
      signal: closing.signal,
    });
    await expect(done).rejects.toThrow('failure 6');
    expect(Date.now() - abortedAt).toBeLessThan(400);
  });

  it('still pauses when the signal was aborted before', async () => {
    const began = Date.now();
    await retry(failing(2).operation, { canRetry: () => true, signal: AbortSignal.abort() });
    expect(Date.now() - began).toBeGreaterThanOrEqual(100);
  });
});

describe('mayPass', () => {
  it.each([
    [new LogError('log_unavailable', 'away'), true],
    [new LogError('log_too_large', 'never fits'), false],
    [new RegistryError('away', true), true],
    [new RegistryError('refused', false), false],
    [new CodecError('malformed', 'rubbish'), false],
    [new Error('a fault of the program'), false],
    [{ canRetry: true }, false],
    [null, false],
  ])('goes by what an error says of itself: %s', (error, passes) => {
    expect(mayPass(error)).toBe(passes);
  });

  it('lets pass what a caller names', () => {
    const unknown = new CodecError('unknown_schema', 'nobody registered it yet');
    expect(mayPass(unknown)).toBe(false);
    expect(mayPass(unknown, 'unknown_schema')).toBe(true);
    expect(mayPass(new CodecError('malformed', 'rubbish'), 'unknown_schema')).toBe(false);
    expect(mayPass(new LogError('log_unavailable', 'away'), 'unknown_schema')).toBe(true);
  });
});
