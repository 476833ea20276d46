import type { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { ControlState } from './state.ts';

/** What the reducer decided: what the command gave, or why it was refused. */
export type Verdict<R = unknown> =
  | { readonly ok: true; readonly result: R; readonly revokedKeyIds: readonly string[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** One sort of command: its arguments and its pure decision. State is changed in place, and only when it is accepted. */
export interface CommandType<B, R> {
  readonly type: string;
  readonly body: z.ZodType<B>;
  readonly decide: (state: ControlState, body: B, at: { readonly wallTime: number }) => Verdict<R>;
}

export function accepted<R>(result: R, revokedKeyIds: readonly string[] = []): Verdict<R> {
  return { ok: true, result, revokedKeyIds };
}

export function refused<R>(code: ErrorCode, message: string): Verdict<R> {
  return { ok: false, code, message };
}
