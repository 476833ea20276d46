/**
 * The client for URLs of tenants. It never connects to this machine, its network or its cloud: the name is resolved once,
 * every address is evaluated, and the connection is restricted to the evaluated ones.
 */
import type { Socket } from 'node:net';
import { evaluateAddress } from './address-policy.ts';
import { dnsResolve, type Resolve } from './dns-resolve.ts';
import { type Answer, exchange } from './exchange.ts';
import { failureOf, OutboundError, type Outcome } from './outcome.ts';
import { type Connect, openPinned } from './pinned-socket.ts';
import { parseRetryAfter } from './retry-after.ts';
import { evaluateTargetUrl, type Target } from './target-url.ts';

export interface GuardedClientOptions {
  /** See `TargetRules`. */
  readonly allowLoopback?: boolean;
  /** Time limit of the complete request: name resolution, connection, TLS, answer and its body. */
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  /** Certificates (PEM) that are trusted instead of the default ones. */
  readonly ca?: string;
}

export interface GuardedRequest {
  readonly url: string;
  /** `Host`, `Content-Length`, `Connection` and `Transfer-Encoding` are set by the client and cannot be overridden. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Stops the request early, with the outcome `aborted`. */
  readonly signal?: AbortSignal;
}

/** Time limit of a webhook delivery according to the contract. */
const OUTBOUND_TIMEOUT_MS = 15_000;
/** The longest step of the delivery schedule, so that no answer delays a delivery for years. */
const RETRY_AFTER_MAX_MS = 86_400_000;
/** Maximum of addresses that are tried; all are evaluated. */
const TRIED_MAX = 8;
/** The addresses of `localhost` by definition (RFC 6761), without a resolver. */
const LOCALHOST = ['127.0.0.1', '::1'];

export class GuardedClient {
  private readonly options: GuardedClientOptions;
  private readonly resolve: Resolve;

  constructor(options: GuardedClientOptions = {}) {
    this.options = options;
    this.resolve = options.resolve ?? dnsResolve();
  }

  /**
   * Posts once, over a connection of its own. Every behaviour of the target is an outcome. Rejects only on errors of this
   * side: headers that cannot be sent, or a process out of descriptors or memory.
   */
  async post(request: GuardedRequest): Promise<Outcome> {
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    try {
      const { status, retryAfter } = await this.withDeadline(request);
      const retryAfterMs = parseRetryAfter(retryAfter, Date.now(), RETRY_AFTER_MAX_MS);
      return { status, retryAfterMs, durationMs: durationMs() };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { error: error.code, durationMs: durationMs() };
    }
  }

  /** Sends the request with its time limit. Leaves no timer and no socket behind, however it ends. */
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
    const verdict = evaluateTargetUrl(request.url, { allowLoopback });
    if (!verdict.ok) throw new OutboundError('invalid_target');
    const { target } = verdict;
    const addresses = await this.checkedAddresses(target, signal);
    // The resolver may return after the time limit, when nobody would close the connection.
    signal.throwIfAborted();
    const socket = await openPinned(target, addresses.slice(0, TRIED_MAX), {
      onSocket,
      ...(connect ? { connect } : {}),
      ...(ca === undefined ? {} : { ca }),
    });
    return exchange(socket, target, request.headers, request.body);
  }

  /**
   * Returns the addresses of the target if all are allowed. One that is not allowed refuses them all: a public service has
   * no private address beside its public ones, and it would be random which one is used.
   */
  private async checkedAddresses(target: Target, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = await this.addressesOf(target, signal);
    if (addresses.length === 0) throw new OutboundError('dns_failed');
    if (!addresses.every((address) => evaluateAddress(address, target.reach).allowed))
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
