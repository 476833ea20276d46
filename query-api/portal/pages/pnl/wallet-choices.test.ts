import { expect, it } from 'vitest';
import type { Wallet } from './shapes.ts';
import { walletChoices } from './wallet-choices.ts';

const WALLET = { id: 'wal_1', label: 'Main', address: '0x1', provider: 'venue_a' } as Wallet;
const idsOf = (...args: Parameters<typeof walletChoices>) => walletChoices(...args).map(([id]) => id);

it('offers the bound wallets', () => {
  expect(idsOf([WALLET], 'wal_1')).toEqual(['all', 'wal_1']);
});

it('keeps the wanted wallet while the wallets are not known', () => {
  expect(idsOf(null, 'wal_1')).toEqual(['all', 'wal_1']);
  expect([idsOf(null, null), idsOf(null, 'all')]).toEqual([['all'], ['all']]);
});

it('does not offer a wallet that is not bound', () => {
  expect(idsOf([WALLET], 'wal_2')).toEqual(['all', 'wal_1']);
});
