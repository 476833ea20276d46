/** Sends one HTTP request over an open connection and reads its answer. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { failureOf, OutboundError } from './outcome.ts';
import type { Target } from './target-url.ts';

/** Bytes of an answer's head; a larger one is `bad_response`. */
const ANSWER_HEAD_MAX = 16 * 1_024;
/** Bytes of an answer's body that are read (and dropped) before the connection is closed on the rest. */
export const ANSWER_BODY_MAX = 64 * 1_024;
/** Interim answers (1xx) before the final one. */
const INTERIM_MAX = 8;

/** The parts of an answer that the caller gets. */
export interface Answer {
  readonly status: number;
  /** The header `Retry-After`, unparsed. */
  readonly retryAfter: string | undefined;
}

/**
 * Posts `body` and resolves once the answer has ended or `ANSWER_BODY_MAX` bytes of it have arrived. The connection cannot
 * be used afterwards. Redirects are not followed. Rejects with `OutboundError`; for headers that cannot be sent, with the
 * error of `node:http`.
 */
export function exchange(
  socket: Socket,
  target: Target,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Without an agent there is no pool that could reuse the connection for another target, and no proxy.
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
    // After the answer has started, its own end counts, which may follow this event.
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
    // Set last, so that headers of the caller cannot replace them.
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
