import { expect, test } from 'vitest';
import { walletName } from './wallet-name.ts';

const WALLET = { address: `0x1b0bf6df${'00'.repeat(13)}5512be`, label: '', provider: 'venue_a_perp' };

test('a wallet without a label is named by its shortened address, and each by its venue', () => {
  expect(walletName(WALLET)).toBe('0x1b0bf6…5512be · venue_a_perp');
  expect(walletName({ ...WALLET, label: 'Desk', provider: 'venue_b' })).toBe('Desk · venue_b');
});
