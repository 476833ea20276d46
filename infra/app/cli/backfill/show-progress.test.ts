import { expect, it } from 'vitest';
import { showProgress } from './show-progress.ts';

function show(isSilent: boolean) {
  const lines: string[] = [];
  let now = 0;
  const progress = showProgress({ isTTY: false, write: (text) => lines.push(text) }, isSilent, () => now);
  for (let done = 0; done <= 100; done += 1) {
    progress.update(done, 100);
    now += 1_000;
  }
  progress.stop();
  return lines;
}

it('writes a line every 30 s where there is no terminal', () => {
  expect(show(false)).toEqual([30, 60, 90].map((done) => `candles: ${done} of 100 requests\n`));
});

it('writes nothing if it is to be silent', () => {
  expect(show(true)).toEqual([]);
});
