import type { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { AuditEntry } from './audit.ts';
import type { Actor } from './envelope.ts';
import type { ControlState } from './state.ts';

/** Why a command was refused; what `ApiError` takes. */
export interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  /** Names the field where it is the arguments' fault. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
}

/** What one sort of command decides. */
export type Decision<R> =
  | {
      readonly ok: true;
      readonly result: R;
      /** Null: accepted, and nothing had to change. */
      readonly change: Change | null;
    }
  | Refusal;

/** What an accepted command changed. */
export interface Change {
  /** The organization whose resources changed. */
  readonly orgId: string;
  /** The resource. */
  readonly targetId: string;
  /** Keys that are good no more. */
  readonly revokedKeyIds?: readonly string[];
}

/** What the reducer decided: what the command gave, or why it was refused. */
export type Verdict<R = unknown> =
  | {
      readonly ok: true;
      readonly result: R;
      /** Keys that are good no more: their sockets are to be closed. */
      readonly revokedKeyIds: readonly string[];
      /** For the audit log; the state keeps none of it. */
      readonly audit: readonly AuditEntry[];
      /** Not decided now: the answer to an earlier command with the same `Idempotency-Key`. */
      readonly replayed: boolean;
    }
  | (Refusal & { readonly replayed: boolean });

/** When a command was appended. */
interface Moment {
  /** Unix ms by the clock of the node that appended it. */
  readonly wallTime: number;
  /** The same as ISO-8601. */
  readonly at: string;
}

interface CommandBase<B> {
  readonly type: string;
  /** What the audit log calls it. */
  readonly action: string;
  /** The arguments. It drops fields that it does not name, such as those of the envelope. */
  readonly body: z.ZodType<B>;
}

/** A command of the service itself. */
export interface ServiceCommand<B, R> extends CommandBase<B> {
  readonly by: 'service';
  /** Pure; changes the state in place, and only when it accepts. */
  readonly decide: (state: ControlState, body: B, moment: Moment) => Decision<R>;
}

/** A command of a client. The reducer has made sure that the key is good and, for `admin`, that it has the scope. */
export interface KeyCommand<B, R> extends CommandBase<B> {
  readonly by: 'key' | 'admin';
  /** Pure; changes the state in place, and only when it accepts. */
  readonly decide: (state: ControlState, body: B, moment: Moment & { readonly actor: Actor }) => Decision<R>;
}

/** One sort of command: its arguments and its pure decision. */
export type CommandType<B, R> = ServiceCommand<B, R> | KeyCommand<B, R>;

export function accepted<R>(result: R, change: Change | null): Decision<R> {
  return { ok: true, result, change };
}

export function refused(
  code: ErrorCode,
  message: string,
  options: Pick<Refusal, 'status' | 'retryAfterSeconds'> = {},
): Refusal {
  return { ok: false, code, message, ...options };
}
