/**
 * Opens WebSockets and counts the event frames that arrive on all of them, in memory that the asking thread reads. On
 * plain sockets, for the reason that `http-load` gives; frames of a server are not masked, so counting is a walk from
 * header to header.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface CountedSockets {
  readonly port: number;
  readonly path: string;
  readonly sockets: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent on each socket once it is open; null for nothing. */
  readonly hello: string | null;
  /** How the frame begins that says that a socket is subscribed; null when being open is enough. */
  readonly readyPrefix: string | null;
  /** How the frames begin that are counted. */
  readonly countedPrefix: string;
}

/** Where counts are put: frames of the prefix. */
export type FrameCounts = { readonly shared: SharedArrayBuffer };

const counts = new Int32Array((workerData as FrameCounts).shared);
const HEAD_END = Buffer.from('\r\n\r\n');

function open(socketOptions: CountedSockets, onFault: (fault: string) => void): Promise<Socket> {
  const { port, path, headers, hello, readyPrefix, countedPrefix } = socketOptions;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const counted = Buffer.from(countedPrefix);
    const ready = readyPrefix === null ? null : Buffer.from(readyPrefix);
    let held: Buffer | null = null;
    let isOpen = false;
    socket.on('error', (error) => onFault(error.message));
    socket.on('connect', () => void socket.write(handshake(port, path, headers)));
    socket.on('data', (chunk) => {
      let data = held ? Buffer.concat([held, chunk]) : chunk;
      held = null;
      if (!isOpen) {
        const headEnd = data.indexOf(HEAD_END);
        if (headEnd < 0) {
          held = data;
          return;
        }
        const status = data.toString('latin1', 0, 12);
        if (status !== 'HTTP/1.1 101') return onFault(status);
        isOpen = true;
        data = data.subarray(headEnd + HEAD_END.length);
        if (hello !== null) socket.write(maskedText(hello));
        if (ready === null) resolve(socket);
      }
      const { rest, found } = walk(data, counted, (frame) => {
        if (ready !== null && startsWith(frame, ready)) resolve(socket);
      });
      held = rest;
      if (found > 0) Atomics.add(counts, 0, found);
    });
  });
}

/** Goes over whole frames; gives what is left of an unfinished one, and how many began as `counted`. */
function walk(data: Buffer, counted: Buffer, onOther: (payload: Buffer) => void) {
  let [at, found] = [0, 0];
  while (at + 2 <= data.length) {
    const short = data[at + 1]! & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (at + head > data.length) break;
    const length =
      short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2));
    if (at + head + length > data.length) break;
    const payload = data.subarray(at + head, at + head + length);
    if (startsWith(payload, counted)) found += 1;
    else onOther(payload);
    at += head + length;
  }
  return { rest: at === data.length ? null : data.subarray(at), found };
}

function startsWith(payload: Buffer, prefix: Buffer): boolean {
  return payload.length >= prefix.length && prefix.compare(payload, 0, prefix.length) === 0;
}

function handshake(port: number, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A text frame as clients send it; short ones only. */
function maskedText(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new RangeError('a frame of more than 125 bytes');
  const mask = randomBytes(4);
  for (let at = 0; at < payload.length; at += 1) payload[at]! ^= mask[at % 4]!;
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, payload]);
}

parentPort!.on('message', (asked: CountedSockets) => {
  const fail = (fault: string) => parentPort!.postMessage({ fault });
  const opening = Array.from({ length: asked.sockets }, () => open(asked, fail));
  void Promise.all(opening).then(() => parentPort!.postMessage({ fault: null }));
});
