/**
 * Opens WebSockets and counts the event frames that arrive on all of them, in memory that the asking thread reads. On
 * plain sockets, for the reason that `http-load` gives.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openPlainSocket, type PlainSocketTarget } from './plain-socket.ts';

export interface CountedSockets extends PlainSocketTarget {
  readonly sockets: number;
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

async function open(asked: CountedSockets, onFault: (fault: string) => void): Promise<void> {
  const { hello, readyPrefix, countedPrefix } = asked;
  const counted = Buffer.from(countedPrefix);
  const ready = readyPrefix === null ? null : Buffer.from(readyPrefix);
  await new Promise<void>((resolve) => {
    let found = 0;
    const socket = openPlainSocket(asked, {
      onFault,
      onOpen: () => {
        if (hello !== null) socket.send(hello);
        if (ready === null) resolve();
      },
      onFrame: (payload) => {
        if (startsWith(payload, counted)) found += 1;
        else if (ready !== null && startsWith(payload, ready)) resolve();
      },
      onChunkEnd: () => {
        if (found > 0) Atomics.add(counts, 0, found);
        found = 0;
      },
    });
  });
}

function startsWith(payload: Buffer, prefix: Buffer): boolean {
  return payload.length >= prefix.length && prefix.compare(payload, 0, prefix.length) === 0;
}

parentPort!.on('message', (asked: CountedSockets) => {
  const fail = (fault: string) => parentPort!.postMessage({ fault });
  const opening = Array.from({ length: asked.sockets }, () => open(asked, fail));
  void Promise.all(opening).then(() => parentPort!.postMessage({ fault: null }));
});
