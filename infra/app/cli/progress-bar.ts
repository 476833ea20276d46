import { MultiBar, SingleBar } from 'cli-progress';

const optionsOf = (label: string, unit: string) => ({
  stream: process.stderr,
  format: `${label} [{bar}] {percentage}% | {value}/{total} ${unit} | {eta_formatted} left`,
  hideCursor: true,
});

/**
 * Draws a progress bar on standard error; the caller updates and stops it.
 *
 * @param unit unit of `total`, such as `records`.
 */
export function startProgressBar(label: string, unit: string, total: number): SingleBar {
  const bar = new SingleBar(optionsOf(label, unit));
  bar.start(Math.max(total, 1), 0);
  return bar;
}

/** Draws several bars below each other; the caller stops each bar, and then all. */
export class ProgressBars {
  private readonly bars = new MultiBar({ stream: process.stderr, hideCursor: true });

  start(label: string, unit: string, total: number): SingleBar {
    return this.bars.create(Math.max(total, 1), 0, {}, optionsOf(label, unit));
  }

  stop(): void {
    this.bars.stop();
  }
}
