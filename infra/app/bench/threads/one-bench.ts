/** Program of a benchmark's process: runs the requested benchmark and exits. */
import { BENCHES } from '../benches.ts';
import type { BenchCall, BenchReply } from '../in-process.ts';

function sendReply(reply: BenchReply, done: () => void = () => {}): void {
  process.send!(reply, undefined, undefined, done);
}

process.once('message', ({ name, folder }: BenchCall) => {
  const bench = BENCHES.find(({ aims }) => Object.hasOwn(aims, name));
  if (!bench) return sendReply({ kind: 'failed', message: 'unknown benchmark' }, () => process.exit(1));
  bench.run({ folder, onProgress: (share) => sendReply({ kind: 'progress', share }) }).then(
    (results) => sendReply({ kind: 'done', results }, () => process.exit(0)),
    (error: unknown) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      sendReply({ kind: 'failed', message }, () => process.exit(1));
    },
  );
});
// The parent has exited.
process.once('disconnect', () => process.exit(1));
