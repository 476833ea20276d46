import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenFault } from './listen-fault.ts';

/** What a server that is to listen there meets with; null when it listens. */
async function faultAt(host: string, httpPort: number) {
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen(httpPort, host, () => resolve(null));
  });
  server.close();
  return error && listenFault(error, { host, httpPort });
}

describe('a server that cannot listen', () => {
  it('because its host is none of this machine names the host', async () => {
    // Kept for documentation (RFC 5737): no machine has it.
    expect((await faultAt('192.0.2.1', 0))?.message).toBe(
      '--host 192.0.2.1 cannot be listened on (EADDRNOTAVAIL); accepted: an address or host name of this machine',
    );
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN'])('because its host has no address (%s) names the host', (code) => {
    const error = Object.assign(new Error('getaddrinfo'), { code });
    expect(listenFault(error, { host: '256.1.1.1', httpPort: 0 })?.message).toContain('--host 256.1.1.1 cannot');
  });

  it('because its port is taken names the port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const fault = await faultAt('127.0.0.1', port);
    other.close();
    expect(fault?.message).toContain(`--http-port ${port} on 127.0.0.1 cannot be listened on (EADDRINUSE)`);
  });

  it('for another reason is no matter of settings', () => {
    const error = Object.assign(new Error('no'), { code: 'EMFILE' });
    expect(listenFault(error, { host: '127.0.0.1', httpPort: 0 })).toBeNull();
  });
});
