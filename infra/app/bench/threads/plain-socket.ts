/**
 * A minimal WebSocket client on a plain socket. Frames of a server are not masked, so it only parses headers. It does
 * not support fragmented messages, since the gateway sends none.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LENGTH = 12;
const OPCODE_BITS = 0x0f;
const OPCODE_CLOSE = 0x08;
const OPCODE_PING = 0x09;
/** First byte of a text frame and of a pong: FIN and the opcode. */
const TEXT = 0x81;
const PONG = 0x8a;

export interface PlainSocketTarget {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PlainSocketHandlers {
  /** Called once the server has accepted the upgrade. */
  readonly onOpen: () => void;
  /** Called for each data frame; the payload is valid during the call only. */
  readonly onFrame: (payload: Buffer) => void;
  /** Called after the frames of each received chunk. */
  readonly onChunkEnd?: () => void;
  /** Called when the connection fails, is refused or is closed by the server. */
  readonly onFault: (fault: string) => void;
}

export interface PlainSocket {
  /** Sends a text frame of at most 125 bytes. */
  send(text: string): void;
  destroy(): void;
}

export function openPlainSocket(target: PlainSocketTarget, handlers: PlainSocketHandlers): PlainSocket {
  const { onOpen, onFrame, onChunkEnd, onFault } = handlers;
  const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true });
  let incomplete: Buffer | null = null;
  let isOpen = false;
  const onControl = (opcode: number, payload: Buffer) => {
    if (opcode === OPCODE_PING) socket.write(maskedFrame(PONG, payload));
    if (opcode === OPCODE_CLOSE) onFault(`closed by the server (${payload.length < 2 ? '' : payload.readUInt16BE(0)})`);
  };
  socket.on('error', (error) => onFault(error.message));
  socket.on('close', () => onFault('the connection was closed'));
  socket.on('connect', () => void socket.write(handshake(target)));
  socket.on('data', (chunk) => {
    let data = incomplete ? Buffer.concat([incomplete, chunk]) : chunk;
    incomplete = null;
    if (!isOpen) {
      const headEnd = data.indexOf(HEAD_END);
      if (headEnd < 0) {
        incomplete = data;
        return;
      }
      const status = data.toString('latin1', 0, STATUS_LENGTH);
      if (status !== 'HTTP/1.1 101') return onFault(status);
      isOpen = true;
      data = data.subarray(headEnd + HEAD_END.length);
      onOpen();
    }
    incomplete = readFrames(data, onFrame, onControl);
    onChunkEnd?.();
  });
  return {
    send: (text) => void socket.write(maskedFrame(TEXT, Buffer.from(text))),
    destroy: () => void socket.destroy(),
  };
}

/** Reads the complete frames of `data`. Returns the rest that belongs to an incomplete frame, or null. */
export function readFrames(
  data: Buffer,
  onFrame: (payload: Buffer) => void,
  onControl: (opcode: number, payload: Buffer) => void,
): Buffer | null {
  let at = 0;
  while (at + 2 <= data.length) {
    const short = data[at + 1]! & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (at + head > data.length) break;
    const length =
      short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2));
    if (at + head + length > data.length) break;
    const payload = data.subarray(at + head, at + head + length);
    const opcode = data[at]! & OPCODE_BITS;
    if (opcode < OPCODE_CLOSE) onFrame(payload);
    else onControl(opcode, payload);
    at += head + length;
  }
  return at === data.length ? null : data.subarray(at);
}

function handshake({ port, path, headers }: PlainSocketTarget): string {
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

/** Builds a masked frame, as clients must send it, of at most 125 bytes. */
function maskedFrame(first: number, payload: Buffer): Buffer {
  if (payload.length > 125) throw new RangeError('frames of more than 125 bytes are not supported');
  const mask = randomBytes(4);
  const masked = Buffer.from(payload);
  for (let at = 0; at < masked.length; at += 1) masked[at]! ^= mask[at % 4]!;
  return Buffer.concat([Buffer.from([first, 0x80 | masked.length]), mask, masked]);
}
