/** Clients of the gateway: one with a WebSocket library, and one over bare TCP that can stop reading. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientOptions, WebSocket } from 'ws';
import { checkFrame } from '#schemas/testing/stream-frames.fixture';

export type Frame = { readonly type: string; readonly [field: string]: unknown };

export interface Client {
  readonly socket: WebSocket;
  /** Every received frame, in order. */
  readonly frames: Frame[];
  readonly closed: Promise<{ code: number; reason: string }>;
  send(frame: unknown): void;
  /** Sends a frame and returns the first answer of one of these types. */
  request(frame: unknown, ...types: string[]): Promise<Frame>;
  /** Subscribes and returns the acknowledgement or the error. */
  subscribe(channel: string, since?: string): Promise<Frame>;
  /** The events of a subscription, in order. */
  seqs(subscriptionId: unknown): number[];
  ofType(type: string): Frame[];
}

/** Parses a frame of the server, which must be as `/asyncapi.json` describes it. */
function receivedFrame(text: string): Frame {
  const frame = JSON.parse(text) as Frame;
  checkFrame(frame);
  return frame;
}

/** Waits until `done` holds; throws after `timeoutMs`. */
export async function until(done: () => boolean, what: string, timeoutMs = 15_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!done()) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(5);
  }
}

export async function openClient(
  url: string,
  token: string | null,
  { query, protocol, ...options }: ClientOptions & { query?: string; protocol?: string } = {},
): Promise<Client> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const streamUrl = `${url}/v1/stream${query ?? ''}`;
  const socket = new WebSocket(streamUrl, protocol === undefined ? [] : [protocol], { headers, ...options });
  const frames: Frame[] = [];
  socket.on('message', (data) => void frames.push(receivedFrame(data.toString())));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const send = (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const request = async (frame: unknown, ...types: string[]) => {
    const before = frames.length;
    send(frame);
    const answer = () => frames.slice(before).find(({ type }) => types.includes(type));
    await until(() => answer() !== undefined, `an answer to ${JSON.stringify(frame).slice(0, 200)}`);
    return answer()!;
  };
  return {
    socket,
    frames,
    closed,
    send,
    request,
    subscribe: (channel, since) =>
      request({ type: 'subscribe', channel, ...(since === undefined ? {} : { since }) }, 'subscribed', 'error'),
    seqs: (id) =>
      frames
        .filter(({ type, subscription_id }) => type === 'event' && subscription_id === id)
        .map(({ seq }) => Number(seq)),
    ofType: (type) => frames.filter((frame) => frame.type === type),
  };
}

/** The response to a refused upgrade. */
export async function refusal(
  url: string,
  headers: Record<string, string>,
  query = '',
): Promise<{ status: number; body: { error: { code: string } }; headers: Record<string, unknown> }> {
  const socket = new WebSocket(`${url}/v1/stream${query}`, { headers });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.close();
      reject(new Error('the upgrade was not refused'));
    });
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) }),
      );
    });
  });
}

export interface RawClient {
  readonly tcp: Socket;
  readonly frames: Frame[];
  /** The code of the close frame, once there is one. */
  closeCode: number | null;
  send(frame: unknown): void;
}

/** A WebSocket client whose `tcp` can be paused: then it stops reading. */
export async function openRawClient(url: string, token: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const tcp = connect({ host: hostname, port: Number(port) });
  tcp.on('error', () => {});
  const client: RawClient = { tcp, frames: [], closeCode: null, send: (frame) => void tcp.write(masked(frame)) };
  tcp.write(
    `GET /v1/stream HTTP/1.1\r\nhost: ${hostname}\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
      `sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  let chunks: Buffer[] = [];
  let open = false;
  tcp.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    let rest = Buffer.concat(chunks);
    if (!open) {
      const end = rest.indexOf('\r\n\r\n');
      if (end >= 0) rest = rest.subarray(end + 4);
      open = end >= 0;
    }
    chunks = [open ? parseFrames(rest, client) : rest];
  });
  await until(() => open, 'the upgrade of a raw client');
  return client;
}

/** Parses the complete frames at the start; returns the remaining bytes. */
function parseFrames(bytes: Buffer, client: RawClient): Buffer {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = bytes[at + 1]! & 127;
    const header = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length - at < header) break;
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    if (bytes.length - at < header + length) break;
    const body = bytes.subarray(at + header, at + header + length);
    const opcode = bytes[at]! & 15;
    if (opcode === 1) client.frames.push(receivedFrame(body.toString()));
    if (opcode === 8) client.closeCode = body.readUInt16BE(0);
    at += header + length;
  }
  return bytes.subarray(at);
}

/** A text frame of up to 125 bytes, or a longer one; the mask is zero, which leaves the bytes as they are. */
function masked(frame: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(frame));
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body]);
}
