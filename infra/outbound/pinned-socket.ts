/** Opens connections that are restricted to checked addresses. */
import { type LookupFunction, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { canonicalAddress } from './address-policy.ts';
import { failureOf, OutboundError } from './outcome.ts';
import type { Target } from './target-url.ts';

/** Opens a TCP connection; `net.connect` by default. All connections of this folder use it. */
export type Connect = (options: TcpNetConnectOpts) => Socket;

export interface DialOptions {
  readonly connect?: Connect;
  /** Certificates (PEM) that are trusted instead of the default ones. */
  readonly ca?: string;
  /** Called with every new socket, so that the caller can destroy it in any case. */
  readonly onSocket: (socket: Socket) => void;
}

/** How long one address may take before the next one is tried in parallel. */
const NEXT_ADDRESS_MS = 2_000;

/** Connects to one of the checked `addresses`, with TLS if the target requires it. Rejects with `OutboundError`. */
export async function openPinned(target: Target, addresses: readonly string[], options: DialOptions): Promise<Socket> {
  const raw = (options.connect ?? netConnect)({
    host: target.host,
    port: target.port,
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  options.onSocket(raw);
  await opened(raw, 'connect', 'connect_failed');
  assertPinned(raw, addresses);
  if (!target.secure) return raw;
  const secured = tlsConnect({
    socket: raw,
    // For the certificate check. The handshake contains the name too, but never an address (RFC 6066).
    host: target.host,
    ...(target.literal ? {} : { servername: target.host }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Explicit, so that no environment variable disables it.
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  options.onSocket(secured);
  await opened(secured, 'secureConnect', 'tls_failed');
  return secured;
}

/** A lookup function that always returns the checked addresses, so that the name is not resolved a second time. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_name, { all: wantsAll }, answer) =>
    wantsAll ? answer(null, all) : answer(null, all[0]!.address, all[0]!.family);
}

/** Verifies the remote address, whatever opened the connection. Throws an `OutboundError` if it was not checked. */
function assertPinned(socket: Socket, addresses: readonly string[]): void {
  const remote = socket.remoteAddress;
  if (remote === undefined) throw new OutboundError('connect_failed');
  // Equal text is the same address; other text is compared in canonical form.
  if (addresses.includes(remote)) return;
  if (!addresses.map(canonicalAddress).includes(canonicalAddress(remote))) throw new OutboundError('blocked_address');
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', code: 'connect_failed' | 'tls_failed') {
  return new Promise<void>((resolve, reject) => {
    const onClose = () => reject(new OutboundError(code));
    socket.once('close', onClose);
    socket.once(event, () => {
      // Avoids creating an error with its stack for nobody when the connection closes later.
      socket.off('close', onClose);
      resolve();
    });
    // This listener stays: an error without a listener would end the process.
    socket.on('error', (error) => reject(failureOf(error, code)));
  });
}
