/** Runs a load generator in a thread, so that it does not share the event loop of what is measured. */
import { Worker } from 'node:worker_threads';
import { siblingModuleUrl } from '../../../runtime/sibling-module-url.ts';

const REPLY_TIMEOUT_MS = 30_000;

export interface LoadThread<Q, A> {
  /** Sends a message and waits for the reply; one at a time. */
  request(question: Q): Promise<A>;
  close(): Promise<void>;
}

/** Thrown if the thread exited or did not reply in time. */
export class LoadThreadError extends Error {
  override name = 'LoadThreadError';
  readonly code = 'load_thread';
  readonly canRetry = false;
}

/** Starts `threads/<name>`, compiled if this file is. */
export function startThread<Q, A>(name: string, workerData: unknown): LoadThread<Q, A> {
  const worker = new Worker(siblingModuleUrl(import.meta.url, name), { workerData, name });
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // The next request rejects with this error; without a request it must not be unhandled.
  failed.catch(() => {});
  worker.once('error', (error) => fail(new LoadThreadError(`${name} failed`, { cause: error })));
  worker.once('exit', () => fail(new LoadThreadError(`${name} has exited`)));
  return {
    async request(message) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new LoadThreadError(`${name} did not reply in time`)), REPLY_TIMEOUT_MS);
      });
      const answer = new Promise<A>((resolve) => void worker.once('message', resolve));
      worker.postMessage(message);
      try {
        return await Promise.race([answer, failed, late]);
      } finally {
        clearTimeout(timer);
      }
    },
    close: async () => void (await worker.terminate()),
  };
}
