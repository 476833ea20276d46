/** The program of a benchmark's process: runs the one that it is told to, and ends. */
import { BENCHES } from '../benches.ts';
import type { BenchCall, BenchReply } from '../in-process.ts';

function say(reply: BenchReply, done: () => void = () => {}): void {
  process.send!(reply, undefined, undefined, done);
}

process.once('message', ({ name, folder }: BenchCall) => {
  const bench = BENCHES.find(({ aims }) => Object.hasOwn(aims, name));
  if (!bench) return say({ kind: 'failed', message: 'there is no such benchmark' }, () => process.exit(1));
  bench.run({ folder, onProgress: (share) => say({ kind: 'progress', share }) }).then(
    (results) => say({ kind: 'done', results }, () => process.exit(0)),
    (error: unknown) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      say({ kind: 'failed', message }, () => process.exit(1));
    },
  );
});
// Whoever started this is gone, so nobody waits for the result.
process.once('disconnect', () => process.exit(1));
