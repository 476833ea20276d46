/** A connection that can only lead to addresses that were checked. */
import { type LookupFunction, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { canonicalAddress } from './address-policy.ts';
import { failureOf, OutboundError } from './outcome.ts';
import type { Target } from './target-url.ts';

/** Opens a TCP connection; `net.connect` by default. The only way out of this folder. */
export type Connect = (options: TcpNetConnectOpts) => Socket;

export interface DialOptions {
  readonly connect?: Connect;
  /** Certificates (PEM) that are trusted instead of the usual ones. */
  readonly ca?: string;
  /** Told of every socket as soon as it is there, to destroy it whatever happens. */
  readonly onSocket: (socket: Socket) => void;
}

/** How long one address may take before the next one is tried beside it. */
const NEXT_ADDRESS_MS = 2_000;

/** Connects to one of `addresses`, the target's checked ones, with TLS where the target has it. Rejects `OutboundError`. */
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
    // For the check of the certificate; the name goes into the handshake too, an address must not (RFC 6066).
    host: target.host,
    ...(target.literal ? {} : { servername: target.host }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Said outright, so that no variable of the environment turns it off.
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  options.onSocket(secured);
  await opened(secured, 'secureConnect', 'tls_failed');
  return secured;
}

/** Answers with the checked addresses whatever it is asked, so that nobody resolves the name a second time. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_name, { all: wantsAll }, answer) =>
    wantsAll ? answer(null, all) : answer(null, all[0]!.address, all[0]!.family);
}

/** The last line of defence: whatever opened the connection, it is used only if it led where it should. */
function assertPinned(socket: Socket, addresses: readonly string[]): void {
  const remote = socket.remoteAddress;
  if (remote === undefined) throw new OutboundError('connect_failed');
  // The same text is the same address; only another spelling needs to be read.
  if (addresses.includes(remote)) return;
  if (!addresses.map(canonicalAddress).includes(canonicalAddress(remote))) throw new OutboundError('blocked_address');
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', otherwise: 'connect_failed' | 'tls_failed') {
  return new Promise<void>((resolve, reject) => {
    const onClose = () => reject(new OutboundError(otherwise));
    socket.once('close', onClose);
    socket.once(event, () => {
      // Every connection closes in the end, and an error that nobody gets is made with its stack all the same.
      socket.off('close', onClose);
      resolve();
    });
    // Stays: a socket may still fail after this, and an error without a listener ends the process.
    socket.on('error', (error) => reject(failureOf(error, otherwise)));
  });
}
