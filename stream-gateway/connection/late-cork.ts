/**
 * Supports upgrades after a wait. Under `cork` of its own response an upgrade outside of the request's handler is
 * unsafe: the socket reuses the memory of the response, which the library continues to read as a response, and it can
 * close the new socket at once (uNetworking/uWebSockets issue 1928, fixed upstream after the build for Node 20).
 * Without any cork the library warns on standard error. So such upgrades are written under the cork of another
 * response: that of a request which this process sends to itself and never answers.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpResponse, loadUws, type us_listen_socket } from './uws.ts';

const HOST = '127.0.0.1';
const REQUEST = `GET / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`;
const OPEN_TIMEOUT_MS = 5_000;

export interface LateCork {
  /** Runs the work at once; a response may be upgraded in it after a wait. */
  run(work: () => void): void;
  close(): void;
}

/** Listens on a loopback port until its own request has arrived. */
export async function openLateCork(): Promise<LateCork> {
  const uws = await loadUws();
  const app = uws.App();
  let heldResponse: HttpResponse | null = null;
  const arrived = new Promise<boolean>((resolve) => {
    app.any('/*', (res) => {
      heldResponse = res;
      res.onAborted(() => {
        heldResponse = null;
      });
      resolve(true);
    });
  });
  const listening = await new Promise<us_listen_socket>((resolve, reject) => {
    app.listen(HOST, 0, (socket) => (socket ? resolve(socket) : reject(new Error(`no free port on ${HOST}`))));
  });
  const client = connect(uws.us_socket_local_port(listening), HOST, () => client.write(REQUEST));
  // `onAborted` is called whatever ends it.
  client.on('error', () => {});
  const hasArrived = await Promise.race([arrived, sleep(OPEN_TIMEOUT_MS, false, { ref: false })]);
  uws.us_listen_socket_close(listening);
  const close = () => {
    client.destroy();
    app.close();
  };
  if (!hasArrived) {
    close();
    throw new Error(`a request to this process over ${HOST} did not arrive in ${OPEN_TIMEOUT_MS} ms`);
  }
  return {
    run(work) {
      if (heldResponse) heldResponse.cork(work);
      // Its connection broke, which is no reason to refuse clients: the library only warns.
      else work();
    },
    close,
  };
}
