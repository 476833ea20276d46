import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { timeLimit } from './time-limit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Resolves with the reason once the signal aborts. The caller should hold no reference to the signal. */
function reasonOf(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', ({ target }) => resolve((target as AbortSignal).reason), { once: true });
  });
}

describe('a time limit', () => {
  it('aborts after its time, also if the garbage collector runs before', async () => {
    const other = new AbortController();
    const reasons = [
      reasonOf(timeLimit(300)),
      reasonOf(timeLimit(300, other.signal)),
      reasonOf(AbortSignal.any([timeLimit(300, other.signal), other.signal])),
    ];
    const collecting = setInterval(collectGarbage, 50);
    const found = await Promise.all(reasons).finally(() => clearInterval(collecting));
    expect(found.map((reason) => (reason as Error).name)).toEqual(['TimeoutError', 'TimeoutError', 'TimeoutError']);
  });

  it('aborts earlier with the reason of the other signal', async () => {
    const other = new AbortController();
    const reason = reasonOf(timeLimit(60_000, other.signal));
    const closing = new Error('closing');
    other.abort(closing);
    expect(await reason).toBe(closing);
    expect(timeLimit(60_000, other.signal).reason).toBe(closing);
  });
});
