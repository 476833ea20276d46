/** Name resolution for targets. */
import { Resolver } from 'node:dns/promises';

/**
 * All addresses of a name, IPv4 and IPv6. Rejects with an error that has a `code` where there are none. May go on after
 * `signal` aborts, but should not.
 */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface DnsOptions {
  /** Name servers as `address:port`; those of the system by default. */
  readonly servers?: readonly string[];
  /** For the first try; the second has twice that. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers directly. `dns.lookup` would hold one of the process's few pool threads for as long as a
 * tenant's name server keeps silent, and hashing and file access with it; it cannot be cancelled; and it tries the
 * search domains of the machine, which are nothing that a tenant's name should be looked up in.
 */
export function dnsResolve({ servers, timeoutMs = TIMEOUT_MS }: DnsOptions = {}): Resolve {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      // A name with addresses of one family only is the usual case; only without any is it a failure.
      if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
      return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}
