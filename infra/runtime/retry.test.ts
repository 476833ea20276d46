import { describe, expect, it, vi } from 'vitest';
import { CodecError } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { LogError } from '../log/log.ts';
import { backoffMs, isTransient, retry } from './retry.ts';

/** An operation that fails `times` times, then returns `done`. */
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
  it('returns the result of a first success without calling back', async () => {
    const onFailure = vi.fn();
    const onRecovered = vi.fn();
    expect(await retry(failing(0).operation, { canRetry: () => true, onFailure, onRecovered })).toBe('done');
    expect(onFailure).not.toHaveBeenCalled();
    expect(onRecovered).not.toHaveBeenCalled();
  });

  it('reports each failure that another attempt follows, and once that it succeeded', async () => {
    const reported: unknown[] = [];
    const onFailure = (error: unknown, failures: number) => void reported.push([(error as Error).message, failures]);
    const onRecovered = (failures: number) => void reported.push(failures);
    expect(await retry(failing(2).operation, { canRetry: () => true, onFailure, onRecovered })).toBe('done');
    expect(reported).toEqual([['failure 1', 1], ['failure 2', 2], 2]);
  });

  it('rejects with the error that cannot be retried, and passes the number of failures', async () => {
    const { operation, calls } = failing(9);
    const onFailure = vi.fn();
    await expect(retry(operation, { canRetry: (_, failures) => failures < 3, onFailure })).rejects.toThrow('failure 3');
    expect(calls()).toBe(3);
    expect(onFailure).toHaveBeenCalledTimes(2);
  });

  it('waits between attempts', async () => {
    const startedAt = Date.now();
    await retry(failing(2).operation, { canRetry: () => true });
    // At least 35 and 70 ms.
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(100);
  });

  it('ends the current wait when the signal aborts', async () => {
    const closing = new AbortController();
    let abortedAt = 0;
    const done = retry(failing(99).operation, {
      canRetry: (_, failures) => failures < 6,
      onFailure: (_, failures) => {
        // The wait after it would take at least 560 ms.
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

  it('still waits if the signal was aborted before', async () => {
    const startedAt = Date.now();
    await retry(failing(2).operation, { canRetry: () => true, signal: AbortSignal.abort() });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(100);
  });
});

describe('isTransient', () => {
  it.each([
    [new LogError('log_unavailable', 'unavailable'), true],
    [new LogError('log_too_large', 'never fits'), false],
    [new RegistryError('unavailable', true), true],
    [new RegistryError('refused', false), false],
    [new CodecError('malformed', 'rubbish'), false],
    [new Error('a fault of the program'), false],
    [{ canRetry: true }, false],
    [null, false],
  ])('uses what an error declares: %s', (error, expected) => {
    expect(isTransient(error)).toBe(expected);
  });

  it('includes the codes that a caller names', () => {
    const unknown = new CodecError('unknown_schema', 'it is not registered yet');
    expect(isTransient(unknown)).toBe(false);
    expect(isTransient(unknown, 'unknown_schema')).toBe(true);
    expect(isTransient(new CodecError('malformed', 'rubbish'), 'unknown_schema')).toBe(false);
    expect(isTransient(new LogError('log_unavailable', 'unavailable'), 'unknown_schema')).toBe(true);
  });
});
