/** Runs checks one after the other and says why one failed, in one line. */
import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import type { StoreCheck, Subject } from './check.ts';

const REASON_MAX = 300;

export interface CheckResult {
  readonly name: string;
  /** Null if the store gives the guarantee. */
  readonly reason: string | null;
}

export interface RunChecksOptions {
  readonly onResult: (result: CheckResult) => void;
  /** No further check begins when it is aborted. */
  readonly signal: AbortSignal;
}

/** Runs every check on the store, which is opened again for each. True if the store gives every guarantee. */
export async function runChecks(
  subject: Subject,
  checks: readonly StoreCheck[],
  { onResult, signal }: RunChecksOptions,
): Promise<boolean> {
  let isConforming = true;
  for (const { name, run } of checks) {
    if (signal.aborted) return false;
    const reason = await reasonOfFailure(subject, run);
    if (reason !== null) isConforming = false;
    onResult({ name, reason });
  }
  return isConforming;
}

async function reasonOfFailure(subject: Subject, run: StoreCheck['run']): Promise<string | null> {
  try {
    await subject.begin();
    try {
      await run(subject);
    } finally {
      await subject.end();
    }
    return null;
  } catch (error) {
    return oneLine(error);
  }
}

/** Of an assertion, what was expected and what came; of other errors, their message. */
function oneLine(error: unknown): string {
  const text =
    error instanceof AssertionError && error.actual !== undefined
      ? `expected ${shown(error.expected)}, got ${shown(error.actual)}`
      : shown(error);
  return text.replace(/\s+/g, ' ').slice(0, REASON_MAX);
}

function shown(value: unknown): string {
  if (value instanceof Error) return 'code' in value ? `${value.code}: ${value.message}` : value.message;
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 4 });
}
