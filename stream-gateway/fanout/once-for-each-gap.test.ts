import { expect, it } from 'vitest';
import type { SequenceGap } from './hub.ts';
import { onceForEachGap } from './once-for-each-gap.ts';

const gapOf = (channel: string, fromSeq: number, toSeq: number, epoch = 'one'): SequenceGap => ({
  topic: 't',
  channel,
  epoch,
  fromSeq,
  toSeq,
});

it('reports a gap once, however often and from wherever it is read', () => {
  const reported: SequenceGap[] = [];
  const report = onceForEachGap((gap) => void reported.push(gap));
  const gaps = [gapOf('a', 2, 4), gapOf('a', 6, 6), gapOf('b', 2, 4), gapOf('a', 2, 4, 'two')];
  for (const gap of [...gaps, ...gaps, gapOf('a', 3, 4)]) report(gap);
  expect(reported).toEqual(gaps);
});

it('reports a gap again after ten thousand others', () => {
  let count = 0;
  const report = onceForEachGap(() => {
    count += 1;
  });
  for (let seq = 1; seq <= 10_001; seq += 1) report(gapOf('a', seq, seq));
  report(gapOf('a', 10_001, 10_001));
  expect(count).toBe(10_001);
  report(gapOf('a', 1, 1));
  expect(count).toBe(10_002);
});
