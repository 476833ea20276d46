/**
 * Yields the body of a response as it arrives; throws the signal's reason as soon as it aborts. Each read is raced with
 * the signal: if `fetch` is aborted when all bytes have arrived but the end has not, its own stream never settles (seen
 * with Node 20).
 */
export async function* readBody(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
  });
  // It may reject when no read waits.
  aborted.catch(() => {});
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Frees the connection if the body was not read to its end; nobody waits for it.
    reader.cancel().catch(() => {});
  }
}
