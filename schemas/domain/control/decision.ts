/** What the reducer decides about a command. */
import type { ErrorCode } from '../../errors.ts';

/** One line of an organization's audit log. */
export interface AuditEntry {
  /** The organization whose log has the entry; `GET /v1/me/audit-log` does not return it. */
  readonly orgId: string;
  /** Id of the command. Unique within the organization's log. */
  readonly id: string;
  /** ISO-8601. */
  readonly at: string;
  /** For example `me.platform_attribution.create`. */
  readonly action: string;
  /** Null for a change by the service itself, and for one that an operator made to another organization. */
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly targetId: string;
  /** True if a sandbox key sent the command, so that it changed the sandbox's resources. */
  readonly sandbox: boolean;
}

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
