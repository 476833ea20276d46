/**
 * Runs tasks concurrently. Resolves with all results; when one fails, aborts the others, waits until they have ended and
 * rejects with its error.
 */
export async function allOrNone<T>(
  tasks: readonly ((signal: AbortSignal) => Promise<T>)[],
  signal: AbortSignal,
): Promise<T[]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const failures: unknown[] = [];
  const results = await Promise.allSettled(
    tasks.map(async (task) => {
      try {
        return await task(either);
      } catch (error) {
        failures.push(error);
        failed.abort(error);
        throw error;
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
  return results.map((result) => (result as PromiseFulfilledResult<T>).value);
}
