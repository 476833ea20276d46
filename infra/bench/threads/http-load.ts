/**
 * Asks the same question over and over on a few kept-alive connections. On plain sockets: a full HTTP client costs more
 * than the server under test, and would be what is measured.
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
  readonly answers: number;
  readonly ms: number;
  /** The first answer that was no 200, or a broken connection; null when all was well. */
  readonly fault: string | null;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const OK = 'HTTP/1.1 200';
const LENGTH = /\r\ncontent-length: (\d+)/i;

function run({ port, path, headers, connections, durationMs }: HttpLoad): Promise<HttpLoadDone> {
  return new Promise((resolve) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const question = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}\r\n`);
    const sockets: Socket[] = [];
    const began = performance.now();
    let [answers, over] = [0, false];
    const end = (fault: string | null) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      resolve({ answers, ms: performance.now() - began, fault });
    };
    const timer = setTimeout(() => end(null), durationMs);
    for (let nth = 0; nth < connections; nth += 1) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      sockets.push(socket);
      socket.on('connect', () => void socket.write(question));
      socket.on('error', (error) => end(error.message));
      socket.on('close', () => end('the server closed a connection'));
      readAnswers(socket, end, () => {
        answers += 1;
        socket.write(question);
      });
    }
  });
}

/** Calls `onAnswer` after each whole answer. */
function readAnswers(socket: Socket, onFault: (fault: string) => void, onAnswer: () => void): void {
  let held: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are still to come; null while the head is read. */
  let missing: number | null = null;
  socket.on('data', (chunk) => {
    if (missing === null) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const headEnd = held.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = held.toString('latin1', 0, headEnd);
      const length = LENGTH.exec(head)?.[1];
      if (!head.startsWith(OK) || length === undefined) return onFault(head.split('\r\n', 1)[0]!);
      missing = Number(length) - (held.length - headEnd - HEAD_END.length);
      held = Buffer.alloc(0);
    } else missing -= chunk.length;
    if (missing > 0) return;
    // One question is under way at a time, so nothing of another answer can follow.
    missing = null;
    onAnswer();
  });
}

parentPort!.on('message', (load: HttpLoad) => void run(load).then((done) => parentPort!.postMessage(done)));
