import type { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { AuditEntry } from './audit.ts';
import type { Actor } from './envelope.ts';
import type { ControlState } from './state.ts';

/** Why a command was refused, as the arguments of an `ApiError`. */
export interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  /** Names the field if an argument is invalid. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
}

/** The decision of one type of command. */
export type Decision<R> =
  | {
      readonly ok: true;
      readonly result: R;
      /** Null if the command was accepted and nothing needed to change. */
      readonly change: Change | null;
    }
  | Refusal;

/** The change that an accepted command made. */
export interface Change {
  /** The organization whose resources changed. */
  readonly orgId: string;
  /** Id of the resource. */
  readonly targetId: string;
  /** Keys that may no longer be used. */
  readonly revokedKeyIds?: readonly string[];
}

/** The decision of the reducer: the result of the command, or why it was refused. */
export type Verdict<R = unknown> =
  | {
      readonly ok: true;
      readonly result: R;
      /** Keys that may no longer be used: their sockets must be closed. */
      readonly revokedKeyIds: readonly string[];
      /** Entries for the audit log; the state does not contain them. */
      readonly audit: readonly AuditEntry[];
      /** True if this is the stored answer to an earlier command with the same `Idempotency-Key`. */
      readonly replayed: boolean;
    }
  | (Refusal & { readonly replayed: boolean });

/** The time at which a command was appended. */
interface CommandTime {
  /** Unix ms by the clock of the node that appended it. */
  readonly wallTime: number;
  /** The same as ISO-8601. */
  readonly at: string;
}

interface CommandBase<B> {
  readonly type: string;
  /** Its name in the audit log. */
  readonly action: string;
  /** The schema of the arguments. It drops fields that it does not name, such as those of the envelope. */
  readonly body: z.ZodType<B>;
}

/** A type of command that only the service itself sends. */
export interface ServiceCommand<B, R> extends CommandBase<B> {
  readonly by: 'service';
  /** Pure; changes the state in place, and only when it accepts. */
  readonly decide: (state: ControlState, body: B, time: CommandTime) => Decision<R>;
}

/** A type of command that clients send. The reducer has checked that the key is active and, for `admin`, has that scope. */
export interface KeyCommand<B, R> extends CommandBase<B> {
  readonly by: 'key' | 'admin';
  /** Pure; changes the state in place, and only when it accepts. */
  readonly decide: (state: ControlState, body: B, time: CommandTime & { readonly actor: Actor }) => Decision<R>;
}

/** One type of command: its arguments and its pure decision. */
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
