import { SingleBar } from 'cli-progress';

/**
 * Draws a progress bar on standard error; the caller updates and stops it.
 *
 * @param unit unit of `total`, such as `records`.
 */
export function startProgressBar(label: string, unit: string, total: number): SingleBar {
  const bar = new SingleBar({
    stream: process.stderr,
    format: `${label} [{bar}] {percentage}% | {value}/{total} ${unit} | {eta_formatted} left`,
    hideCursor: true,
  });
  bar.start(Math.max(total, 1), 0);
  return bar;
}
