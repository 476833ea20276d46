/**
 * A signal that aborts with a `TimeoutError` after a time, or earlier with the reason of another signal.
 *
 * Use it instead of `AbortSignal.any([AbortSignal.timeout(ms), signal])`: Node 20 lets the garbage collector take a
 * timeout that only `any` refers to, and then it never fires. A listener of its own holds it until then.
 */
export function timeLimit(ms: number, signal?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => {}, { once: true });
  return signal ? AbortSignal.any([signal, limit]) : limit;
}
