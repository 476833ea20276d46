import { expect, it } from 'vitest';
import { consensusScore } from './consensus-score.ts';

const leg = (yesMid: string | null, live = true) => ({ yesMid, live });

it.each([
  ['no leg', [], null],
  ['one leg', [leg('0.5')], null],
  ['one live leg and one that is not live', [leg('0.5'), leg('0.9', false)], null],
  ['a leg without a middle', [leg('0.5'), leg(null)], null],
  ['two legs that agree', [leg('0.5'), leg('0.5')], '1'],
  ['two legs that disagree', [leg('0.4'), leg('0.675')], '0.725'],
  ['three legs in any order, by the widest distance', [leg('0.3'), leg('0.1'), leg('0.2')], '0.8'],
  ['live legs only', [leg('0.3'), leg('0.9', false), leg('0.31')], '0.99'],
  ['legs that differ in the last digit', [leg('0.000000000000000001'), leg('0.3')], '0.700000000000000001'],
  ['legs at 0 and 1', [leg('0'), leg('1')], '0'],
] as const)('the consensus of %s is as expected', (_, legs, score) => {
  expect(consensusScore(legs)).toBe(score);
});
