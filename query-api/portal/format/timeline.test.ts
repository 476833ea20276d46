import { expect, it } from 'vitest';
import { timelinesOf } from './timeline.ts';

const step = (marketId: string | null, ts: string) => ({ marketId, ts: `2026-01-15T${ts}:00.000Z` });

it('has a timeline for each market, with the time since the step before', () => {
  const [first, other, second, untied] = [
    step('42', '12:10'),
    step('43', '12:20'),
    step('42', '14:10'),
    step(null, '15:00'),
  ] as const;
  expect(timelinesOf([first, other, second, untied])).toEqual([
    {
      marketId: '42',
      steps: [
        { step: first, afterMs: null },
        { step: second, afterMs: 7_200_000 },
      ],
    },
    { marketId: '43', steps: [{ step: other, afterMs: null }] },
    { marketId: null, steps: [{ step: untied, afterMs: null }] },
  ]);
});
