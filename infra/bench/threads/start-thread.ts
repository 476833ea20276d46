/** A thread that makes load, so that what is measured has its own event loop to itself. */
import { Worker } from 'node:worker_threads';
import { programBeside } from '../../program-beside.ts';

const REPLY_TIMEOUT_MS = 30_000;

export interface LoadThread<Q, A> {
  /** Sends a question and waits for its answer; one at a time. */
  ask(question: Q): Promise<A>;
  close(): Promise<void>;
}

/** Thrown when the thread died or did not answer. */
export class LoadThreadError extends Error {
  override name = 'LoadThreadError';
  readonly code = 'load_thread';
  readonly canRetry = false;
}

/** Starts `threads/<name>`, compiled or not as this file is. */
export function startThread<Q, A>(name: string, workerData: unknown): LoadThread<Q, A> {
  const worker = new Worker(programBeside(import.meta.url, name), { workerData, name });
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Told to whoever asks next; nobody may be asking now.
  failed.catch(() => {});
  worker.once('error', (error) => fail(new LoadThreadError(`${name} failed`, { cause: error })));
  worker.once('exit', () => fail(new LoadThreadError(`${name} has ended`)));
  return {
    async ask(question) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new LoadThreadError(`${name} did not answer in time`)), REPLY_TIMEOUT_MS);
      });
      const answer = new Promise<A>((resolve) => void worker.once('message', resolve));
      worker.postMessage(question);
      try {
        return await Promise.race([answer, failed, late]);
      } finally {
        clearTimeout(timer);
      }
    },
    close: async () => void (await worker.terminate()),
  };
}
