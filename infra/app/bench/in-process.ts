/** Runs each benchmark in a separate process, so that heap, caches and engines of one do not affect another. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { siblingModuleUrl } from '../../runtime/sibling-module-url.ts';
import type { Bench, BenchResult } from './bench.ts';

const LIMIT_MS = 180_000;

/** Message to the process. */
export interface BenchCall {
  /** Name of any result of the benchmark. */
  readonly name: string;
  readonly folder: string;
}

/** Message from the process. */
export type BenchReply =
  | { readonly kind: 'progress'; readonly share: number }
  | { readonly kind: 'done'; readonly results: readonly BenchResult[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Thrown if the process failed, exited or took too long. */
class BenchProcessError extends Error {
  override name = 'BenchProcessError';
  readonly code = 'bench_process';
  readonly canRetry = true;
}

/** Wraps a benchmark so that it runs in a separate process. */
export function inProcess({ aims, limitMs = LIMIT_MS }: Bench): Bench {
  const [name] = Object.keys(aims);
  if (name === undefined) throw new Error('a benchmark must have at least one result');
  return {
    aims,
    run: ({ folder, onProgress }) =>
      new Promise((resolve, reject) => {
        const child = fork(fileURLToPath(siblingModuleUrl(import.meta.url, 'threads/one-bench')));
        const fail = (message: string) => {
          child.kill('SIGKILL');
          reject(new BenchProcessError(`${name}: ${message}`));
        };
        const timer = setTimeout(() => fail(`not finished within ${limitMs} ms`), limitMs);
        let results: readonly BenchResult[] | null = null;
        child.on('message', (reply: BenchReply) => {
          if (reply.kind === 'progress') onProgress(reply.share);
          else if (reply.kind === 'failed') fail(reply.message);
          else results = reply.results;
        });
        child.once('error', (error) => fail(error.message));
        // Resolve only after the exit, since the caller then deletes the folder.
        child.once('exit', (code) => {
          clearTimeout(timer);
          if (results) resolve([...results]);
          else fail(`the process exited with code ${code}`);
        });
        child.send({ name, folder } satisfies BenchCall);
      }),
  };
}
