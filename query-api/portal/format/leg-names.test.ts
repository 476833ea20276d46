import { expect, it } from 'vitest';
import { legNames } from './leg-names.ts';

const leg = (provider: string, marketId: string) => ({ provider, marketId });

it('names markets by their venue, and by their id where a venue has several', () => {
  expect(legNames([leg('venue_a', '#10'), leg('venue_b', '0x1234567890'), leg('venue_b', '0xabcdef7890')])).toEqual([
    'venue_a',
    'venue_b 0x123456',
    'venue_b 0xabcdef',
  ]);
});

it('uses whole ids where their beginnings are the same', () => {
  expect(legNames([leg('venue_b', '0x12345678a'), leg('venue_b', '0x12345678b')])).toEqual([
    'venue_b 0x12345678a',
    'venue_b 0x12345678b',
  ]);
});
