/**
 * The client for URLs that tenants gave. It cannot be made to talk to this machine, its network or its cloud: the name is
 * resolved once, every address is judged, and the connection is held to the judged ones.
 */
import type { Socket } from 'node:net';
import { judgeAddress } from './address-policy.ts';
import { dnsResolve, type Resolve } from './dns-resolve.ts';
import { type Answer, exchange } from './exchange.ts';
import { failureOf, OutboundError, type Outcome } from './outcome.ts';
import { type Connect, openPinned } from './pinned-socket.ts';
import { parseRetryAfter } from './retry-after.ts';
import { judgeTargetUrl, type Target } from './target-url.ts';

export interface GuardedClientOptions {
  /** See `TargetRules`. */
  readonly allowLoopback?: boolean;
  /** For the whole request: names, connection, TLS, answer and its body. */
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  /** Certificates (PEM) that are trusted instead of the usual ones. */
  readonly ca?: string;
}

export interface GuardedRequest {
  readonly url: string;
  /** `Host`, `Content-Length`, `Connection` and `Transfer-Encoding` are set here, whatever is given. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends it early, as `aborted`. */
  readonly signal?: AbortSignal;
}

/** The contract, Webhooks. */
export const OUTBOUND_TIMEOUT_MS = 15_000;
/** Addresses of a name that are tried; all of them are judged. */
const TRIED_MAX = 8;
/** What `localhost` means by definition (RFC 6761); no resolver is asked. */
const LOCALHOST = ['127.0.0.1', '::1'];

export class GuardedClient {
  private readonly options: GuardedClientOptions;
  private readonly resolve: Resolve;

  constructor(options: GuardedClientOptions = {}) {
    this.options = options;
    this.resolve = options.resolve ?? dnsResolve();
  }

  /**
   * Posts once, over a connection of its own. Whatever the target does is an outcome; rejects only on faults of this
   * side: headers that cannot be sent, or a process out of descriptors or memory.
   */
  async post(request: GuardedRequest): Promise<Outcome> {
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    try {
      const { status, retryAfter } = await this.withDeadline(request);
      return { status, retryAfterMs: parseRetryAfter(retryAfter, Date.now()), durationMs: durationMs() };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { error: error.code, durationMs: durationMs() };
    }
  }

  /** Whatever way it ends, afterwards there is no timer and no socket left. */
  private async withDeadline(request: GuardedRequest): Promise<Answer> {
    const sockets: Socket[] = [];
    const ending = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
    });
    const stop = () => ending.abort(new OutboundError('aborted'));
    const timer = setTimeout(
      () => ending.abort(new OutboundError('timeout')),
      this.options.timeoutMs ?? OUTBOUND_TIMEOUT_MS,
    );
    request.signal?.addEventListener('abort', stop, { once: true });
    const onSocket = (socket: Socket) => {
      sockets.push(socket);
      if (ending.signal.aborted) socket.destroy();
    };
    try {
      if (request.signal?.aborted) throw new OutboundError('aborted');
      return await Promise.race([ended, this.attempt(request, ending.signal, onSocket)]);
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', stop);
      for (const socket of sockets) socket.destroy();
    }
  }

  private async attempt(request: GuardedRequest, signal: AbortSignal, onSocket: (socket: Socket) => void) {
    const { allowLoopback = false, connect, ca } = this.options;
    const verdict = judgeTargetUrl(request.url, { allowLoopback });
    if (!verdict.ok) throw new OutboundError('invalid_target');
    const { target } = verdict;
    const addresses = await this.checkedAddresses(target, signal);
    // The resolver may have come back after the end, when nobody would close a connection any more.
    signal.throwIfAborted();
    const socket = await openPinned(target, addresses.slice(0, TRIED_MAX), {
      onSocket,
      ...(connect ? { connect } : {}),
      ...(ca === undefined ? {} : { ca }),
    });
    return exchange(socket, target, request.headers, request.body);
  }

  /**
   * The addresses of the target, each of them allowed. One that is not refuses them all: a public service has no private
   * address beside its public one, and which of a mixed lot gets connected to would be for chance to say.
   */
  private async checkedAddresses(target: Target, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = await this.addressesOf(target, signal);
    if (addresses.length === 0) throw new OutboundError('dns_failed');
    if (!addresses.every((address) => judgeAddress(address, target.reach).allowed))
      throw new OutboundError('blocked_address');
    return addresses;
  }

  private async addressesOf(target: Target, signal: AbortSignal): Promise<readonly string[]> {
    if (target.literal) return [target.host];
    if (target.reach === 'loopback') return LOCALHOST;
    try {
      return await this.resolve(target.host, signal);
    } catch (error) {
      throw failureOf(error, 'dns_failed');
    }
  }
}
