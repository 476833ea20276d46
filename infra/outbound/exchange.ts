/** One HTTP request and its answer over a connection that is there. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { failureOf, OutboundError } from './outcome.ts';
import type { Target } from './target-url.ts';

/** Bytes of an answer's head; a larger one is `bad_response`. */
export const ANSWER_HEAD_MAX = 16 * 1_024;
/** Bytes of an answer's body that are read (and dropped) before the connection is closed on the rest. */
export const ANSWER_BODY_MAX = 64 * 1_024;
/** Interim answers (1xx) before the final one. */
const INTERIM_MAX = 8;

/** What is kept of an answer. */
export interface Answer {
  readonly status: number;
  /** The header `Retry-After`, unread. */
  readonly retryAfter: string | undefined;
}

/**
 * Posts `body` and resolves once the answer has ended or shown `ANSWER_BODY_MAX` bytes. The connection is good for
 * nothing else afterwards. A redirect is an answer like any other. Rejects with `OutboundError`; on headers that cannot
 * be sent with the error of `node:http`.
 */
export function exchange(
  socket: Socket,
  target: Target,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Without an agent there is no pool that could hand the connection to another target, and no proxy.
    const call = request({
      method: 'POST',
      path: target.path,
      createConnection: () => socket,
      maxHeaderSize: ANSWER_HEAD_MAX,
      insecureHTTPParser: false,
      setHost: false,
    });
    const fail = (error: unknown) => reject(failureOf(error, 'reset'));
    const refuse = () => reject(new OutboundError('bad_response'));
    call.on('error', fail);
    let answered = false;
    // Once there is an answer its own end counts, which may come after this.
    call.on('close', () => answered || fail(new OutboundError('reset')));
    call.on('upgrade', refuse);
    let interim = 0;
    call.on('information', () => {
      interim += 1;
      if (interim > INTERIM_MAX) refuse();
    });
    call.on('response', (response) => {
      answered = true;
      const status = response.statusCode!;
      if (status < 200 || status > 599) return refuse();
      drain(response, () => resolve({ status, retryAfter: response.headers['retry-after'] }), fail);
    });
    for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
    // Last, so that no header of the caller replaces them.
    call.setHeader('Host', target.authority);
    call.setHeader('Content-Length', body.byteLength);
    call.setHeader('Connection', 'close');
    call.removeHeader('Transfer-Encoding');
    call.end(body);
  });
}

function drain(response: IncomingMessage, done: () => void, fail: (error: unknown) => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= ANSWER_BODY_MAX) return;
    response.pause();
    done();
  });
  response.on('end', done);
  response.on('error', fail);
}
