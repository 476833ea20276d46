/** Runs a benchmark in a process of its own, so that none measures what another left behind: heap, caches, engines. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programBeside } from '../program-beside.ts';
import type { Bench, BenchResult } from './bench.ts';

const LIMIT_MS = 180_000;

/** What the process is asked. */
export interface BenchCall {
  /** One of the results that the benchmark gives. */
  readonly name: string;
  readonly folder: string;
}

/** What it says. */
export type BenchReply =
  | { readonly kind: 'progress'; readonly share: number }
  | { readonly kind: 'done'; readonly results: readonly BenchResult[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Thrown when the process failed, died, or took too long. */
export class BenchProcessError extends Error {
  override name = 'BenchProcessError';
  readonly code = 'bench_process';
  readonly canRetry = true;
}

/** The same benchmark, run in a process of its own. */
export function inProcess({ aims, limitMs = LIMIT_MS }: Bench): Bench {
  const [name] = Object.keys(aims);
  if (name === undefined) throw new Error('a benchmark without results');
  return {
    aims,
    run: ({ folder, onProgress }) =>
      new Promise((resolve, reject) => {
        const child = fork(fileURLToPath(programBeside(import.meta.url, 'threads/one-bench')));
        const fail = (message: string) => {
          child.kill('SIGKILL');
          reject(new BenchProcessError(`${name}: ${message}`));
        };
        const timer = setTimeout(() => fail(`not done within ${limitMs} ms`), limitMs);
        let results: readonly BenchResult[] | null = null;
        child.on('message', (reply: BenchReply) => {
          if (reply.kind === 'progress') onProgress(reply.share);
          else if (reply.kind === 'failed') fail(reply.message);
          else results = reply.results;
        });
        child.once('error', (error) => fail(error.message));
        // Its folder may be deleted only once it is gone.
        child.once('exit', (code) => {
          clearTimeout(timer);
          if (results) resolve([...results]);
          else fail(`the process ended with code ${code}`);
        });
        child.send({ name, folder } satisfies BenchCall);
      }),
  };
}
