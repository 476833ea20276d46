/** Name resolution for targets. */
import { Resolver } from 'node:dns/promises';

/**
 * Resolves all addresses of a name, IPv4 and IPv6. Rejects with an error with a `code` if there are none. Should stop when
 * `signal` aborts.
 */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface DnsOptions {
  /** Name servers as `address:port`; those of the system by default. */
  readonly servers?: readonly string[];
  /** Timeout of the first attempt; the second has twice that. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Creates a resolver that queries the name servers directly. `dns.lookup` would occupy one of the process's few pool
 * threads, which hashing and file access need, for as long as a tenant's name server does not answer. It cannot be
 * cancelled, and it tries the search domains of the machine, which must not apply to a tenant's name.
 */
export function dnsResolve({ servers, timeoutMs = TIMEOUT_MS }: DnsOptions = {}): Resolve {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      // Most names have addresses of one family only; it is a failure if there are none at all.
      if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
      return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}
