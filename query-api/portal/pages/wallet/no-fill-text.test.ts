import { expect, test } from 'vitest';
import { WALLET_PROVIDERS } from '#schemas/venues/accounts';
import { noFillText } from './no-fill-text.ts';

test('an account of venue_a needs no backfill, since its whole history is loaded', () => {
  const own = WALLET_PROVIDERS.filter((provider) => provider.startsWith('venue_a'));
  expect(own.length).toBeGreaterThan(1);
  for (const provider of own) expect(noFillText(provider)).toContain('history is being loaded');
});

test('an account of venue_b begins with its binding', () => {
  expect(noFillText('venue_b')).toContain('backfill');
});
