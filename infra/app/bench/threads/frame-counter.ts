/**
 * Opens WebSockets and counts the event frames that arrive on all of them, in memory shared with the parent thread.
 * Uses plain sockets for the same reason as `http-load`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openPlainSocket, type PlainSocketTarget } from './plain-socket.ts';

export interface CountedSockets extends PlainSocketTarget {
  readonly sockets: number;
  /** Message sent on each socket once it is open; null for none. */
  readonly firstMessage: string | null;
  /** Prefix of the frame that confirms the subscription; null if a socket is ready once open. */
  readonly readyPrefix: string | null;
  /** Prefix of the frames that are counted. */
  readonly countedPrefix: string;
}

/** Shared counter of the frames with the prefix. */
type FrameCounts = { readonly shared: SharedArrayBuffer };

const counts = new Int32Array((workerData as FrameCounts).shared);

async function open(options: CountedSockets, onFault: (fault: string) => void): Promise<void> {
  const { firstMessage, readyPrefix, countedPrefix } = options;
  const counted = Buffer.from(countedPrefix);
  const ready = readyPrefix === null ? null : Buffer.from(readyPrefix);
  await new Promise<void>((resolve) => {
    let found = 0;
    const socket = openPlainSocket(options, {
      onFault,
      onOpen: () => {
        if (firstMessage !== null) socket.send(firstMessage);
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

parentPort!.on('message', (options: CountedSockets) => {
  const fail = (fault: string) => parentPort!.postMessage({ fault });
  const opening = Array.from({ length: options.sockets }, () => open(options, fail));
  void Promise.all(opening).then(() => parentPort!.postMessage({ fault: null }));
});
