/** Closing several things so that a fault of one does not leave the others open. */

/** Runs each step, the last one first, and then throws the first fault, if any. */
export async function closeInReverse(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const step of [...steps].reverse()) await step().catch((error: unknown) => void faults.push(error));
  if (faults.length > 0) throw faults[0];
}

/** Closes all at once, for what need not wait for one another, and then throws the first fault, if any. */
export async function closeTogether(parts: readonly { close(): Promise<void> }[]): Promise<void> {
  const settled = await Promise.allSettled(parts.map((part) => part.close()));
  const fault = settled.find((one) => one.status === 'rejected');
  if (fault) throw fault.reason;
}
