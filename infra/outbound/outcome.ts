/** What comes of a request to a target. */

/** Every way a request can fail. Fixed words: nothing that the remote side said is in them. */
export type OutboundErrorCode =
  /** The URL may not be a target (`target-url.ts`). */
  | 'invalid_target'
  /** The name has no address, or its name servers did not tell. */
  | 'dns_failed'
  /** An address of the name may not be reached (`address-policy.ts`), or the connection led elsewhere. */
  | 'blocked_address'
  | 'connect_failed'
  /** The handshake failed or the certificate is not good for the name. */
  | 'tls_failed'
  /** The deadline of the whole request passed. */
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'reset'
  /** The answer is no HTTP, or its head is too large. */
  | 'bad_response'
  /** The caller's signal ended it. */
  | 'aborted';

/** Status and what else a schedule needs; of the answer's body nothing is kept. */
export type Outcome =
  | { readonly status: number; readonly retryAfterMs: number | null; readonly durationMs: number }
  | { readonly error: OutboundErrorCode; readonly durationMs: number };

/** A failure of the remote side or of the way there; `cause` is for debugging in place and goes nowhere. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundErrorCode;
  constructor(code: OutboundErrorCode, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Out of descriptors, buffers or memory: no fault of the target, so it must not count against it. */
const LOCAL_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** The failure that an error of a socket, resolver or parser means. What is no such error is given back as it is. */
export function failureOf(error: unknown, usual: OutboundErrorCode): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof OutboundError || code === undefined || LOCAL_FAULTS.has(code)) return error;
  if (code.startsWith('HPE_')) return new OutboundError('bad_response', error);
  // With TLS 1.3 a server may refuse the client only after the handshake.
  if (/^ERR_(SSL|TLS)_/.test(code)) return new OutboundError('tls_failed', error);
  return new OutboundError(usual, error);
}
