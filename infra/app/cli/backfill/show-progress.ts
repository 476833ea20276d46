/** Shows how far a backfill is: a bar on a terminal, an occasional line elsewhere. */
import type { SingleBar } from 'cli-progress';
import { startProgressBar } from '../progress-bar.ts';

/** Time between two lines. */
const LINE_INTERVAL_MS = 30_000;

interface Progress {
  update(done: number, total: number): void;
  stop(): void;
}

/** @param isSilent shows nothing. */
export function showProgress(
  output: { readonly isTTY?: boolean; write(text: string): unknown },
  isSilent: boolean,
  now: () => number = () => performance.now(),
): Progress {
  let bar: SingleBar | null = null;
  let lineAt = now();
  return {
    update(done, total) {
      if (isSilent) return;
      if (output.isTTY) {
        bar ??= startProgressBar('candles', 'requests', total);
        bar.update(done);
      } else if (now() - lineAt >= LINE_INTERVAL_MS) {
        lineAt = now();
        output.write(`candles: ${done} of ${total} requests\n`);
      }
    },
    stop: () => bar?.stop(),
  };
}
