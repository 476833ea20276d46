/**
 * Sends the same request repeatedly on a few keep-alive connections. Uses plain sockets, since a full HTTP client would
 * need more processor time than the server under test.
 */
import { connect, type Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';

export interface HttpLoad {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationMs: number;
}

export interface HttpLoadDone {
  readonly responses: number;
  readonly ms: number;
  /** The first status other than 200, or a broken connection; null if there was none. */
  readonly fault: string | null;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const OK = 'HTTP/1.1 200';
const LENGTH = /\r\ncontent-length: (\d+)/i;

function run({ port, path, headers, connections, durationMs }: HttpLoad): Promise<HttpLoadDone> {
  return new Promise((resolve) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const requestBytes = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}\r\n`);
    const sockets: Socket[] = [];
    const startedAt = performance.now();
    let [responses, isDone] = [0, false];
    const end = (fault: string | null) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      resolve({ responses: responses, ms: performance.now() - startedAt, fault });
    };
    const timer = setTimeout(() => end(null), durationMs);
    for (let nth = 0; nth < connections; nth += 1) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      sockets.push(socket);
      socket.on('connect', () => void socket.write(requestBytes));
      socket.on('error', (error) => end(error.message));
      socket.on('close', () => end('the server closed a connection'));
      readResponses(socket, end, () => {
        responses += 1;
        socket.write(requestBytes);
      });
    }
  });
}

/** Calls `onResponse` after each complete response. */
function readResponses(socket: Socket, onFault: (fault: string) => void, onResponse: () => void): void {
  let buffered: Buffer = Buffer.alloc(0);
  /** Remaining bytes of the body; null while the head is read. */
  let missing: number | null = null;
  socket.on('data', (chunk) => {
    if (missing === null) {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
      const headEnd = buffered.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = buffered.toString('latin1', 0, headEnd);
      const length = LENGTH.exec(head)?.[1];
      if (!head.startsWith(OK) || length === undefined) return onFault(head.split('\r\n', 1)[0]!);
      missing = Number(length) - (buffered.length - headEnd - HEAD_END.length);
      buffered = Buffer.alloc(0);
    } else missing -= chunk.length;
    if (missing > 0) return;
    // Only one request is in flight per connection, so no data of another response can follow.
    missing = null;
    onResponse();
  });
}

parentPort!.on('message', (load: HttpLoad) => void run(load).then((done) => parentPort!.postMessage(done)));
