import { expect, test } from 'vitest';
import { walletsCovering } from './covering.ts';
import type { Wallet } from './shapes.ts';

const walletOf = (id: string, provider: string): Wallet => ({ id, provider, address: '0x1', label: '', createdAt: '' });
const WALLETS = [
  walletOf('whole', 'venue_a_perp'),
  walletOf('outcomes', 'venue_a_outcome'),
  walletOf('dexes', 'venue_a_dex'),
  walletOf('other', 'venue_b'),
];
const idsFor = (provider: string) => walletsCovering(WALLETS, { provider }).map(({ id }) => id);

test('a wallet bound to the whole venue covers tokens of all its providers, and one of a provider covers only these', () => {
  expect(idsFor('venue_a_perp')).toEqual(['whole']);
  expect(idsFor('venue_a_dex')).toEqual(['whole', 'dexes']);
  expect(idsFor('venue_a_outcome')).toEqual(['whole', 'outcomes']);
});

test('no wallet covers a token of another venue', () => {
  expect(idsFor('venue_b')).toEqual(['other']);
  expect(idsFor('venue_c')).toEqual([]);
});
