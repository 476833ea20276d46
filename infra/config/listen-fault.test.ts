import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenFault } from './listen-fault.ts';

/** The error of a server that listens there; null if it listens. */
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
  it('names the host if that is no address of this machine', async () => {
    // Reserved for documentation (RFC 5737): no machine has it.
    expect((await faultAt('192.0.2.1', 0))?.message).toBe(
      'cannot listen on --host 192.0.2.1 (EADDRNOTAVAIL); accepted: an address or host name of this machine',
    );
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN'])('names the host if that has no address (%s)', (code) => {
    const error = Object.assign(new Error('getaddrinfo'), { code });
    expect(listenFault(error, { host: '256.1.1.1', httpPort: 0 })?.message).toContain(
      'cannot listen on --host 256.1.1.1',
    );
  });

  it('names the port if that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const fault = await faultAt('127.0.0.1', port);
    other.close();
    expect(fault?.message).toContain(`cannot listen on --http-port ${port} of 127.0.0.1 (EADDRINUSE)`);
  });

  it('names no setting for another reason', () => {
    const error = Object.assign(new Error('no'), { code: 'EMFILE' });
    expect(listenFault(error, { host: '127.0.0.1', httpPort: 0 })).toBeNull();
  });
});
