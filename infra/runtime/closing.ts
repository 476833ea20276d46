/** Closes several things so that an error of one does not leave the others open. */

/** Runs each step, the last one first, and then throws the first error, if any. */
export async function closeInReverse(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of [...steps].reverse()) await step().catch((error: unknown) => void errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Closes all parts concurrently, and then throws the first error, if any. */
export async function closeAll(parts: readonly { close(): Promise<void> }[]): Promise<void> {
  const settled = await Promise.allSettled(parts.map((part) => part.close()));
  const failure = settled.find((one) => one.status === 'rejected');
  if (failure) throw failure.reason;
}
