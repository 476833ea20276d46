/** Outcomes of a request to a target. */

/** Every way a request can fail. The words are fixed and contain nothing from the remote side. */
export type OutboundErrorCode =
  /** The URL may not be a target (`target-url.ts`). */
  | 'invalid_target'
  /** The name has no address, or its name servers did not answer. */
  | 'dns_failed'
  /** An address of the name is not allowed (`address-policy.ts`), or the connection reached another address. */
  | 'blocked_address'
  | 'connect_failed'
  /** The handshake failed or the certificate is not valid for the name. */
  | 'tls_failed'
  /** The complete request exceeded its time limit. */
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'reset'
  /** The answer is not HTTP, or its head is too large. */
  | 'bad_response'
  /** The caller's signal ended it. */
  | 'aborted';

/** The status and the times that the retry schedule needs, without the answer's body. */
export type Outcome =
  | { readonly status: number; readonly retryAfterMs: number | null; readonly durationMs: number }
  | { readonly error: OutboundErrorCode; readonly durationMs: number };

/** A failure of the remote side or of the network. `cause` is for debugging and is never sent or logged. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundErrorCode;
  constructor(code: OutboundErrorCode, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Out of descriptors, buffers or memory: not the target's fault, so it must not count against it. */
const LOCAL_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Converts an error of a socket, resolver or parser to an `OutboundError`. Returns any other error unchanged. */
export function failureOf(error: unknown, defaultCode: OutboundErrorCode): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof OutboundError || code === undefined || LOCAL_FAULTS.has(code)) return error;
  if (code.startsWith('HPE_')) return new OutboundError('bad_response', error);
  // With TLS 1.3 a server may refuse the client only after the handshake.
  if (/^ERR_(SSL|TLS)_/.test(code)) return new OutboundError('tls_failed', error);
  return new OutboundError(defaultCode, error);
}
