import { expect, it } from 'vitest';
import { consensusScore } from './consensus-score.ts';

const leg = (yesMid: string | null, live = true) => ({ yesMid, live });

it.each([
  ['no leg', [], null],
  ['one leg', [leg('0.5')], null],
  ['one live leg beside a dead one', [leg('0.5'), leg('0.9', false)], null],
  ['a leg without a middle', [leg('0.5'), leg(null)], null],
  ['two that agree', [leg('0.5'), leg('0.5')], '1'],
  ['two that do not', [leg('0.4'), leg('0.675')], '0.725'],
  ['the widest of three, in any order', [leg('0.3'), leg('0.1'), leg('0.2')], '0.8'],
  ['live ones alone', [leg('0.3'), leg('0.9', false), leg('0.31')], '0.99'],
  ['the last digit', [leg('0.000000000000000001'), leg('0.3')], '0.700000000000000001'],
  ['all that there is', [leg('0'), leg('1')], '0'],
] as const)('consensus of %s', (_, legs, score) => {
  expect(consensusScore(legs)).toBe(score);
});
