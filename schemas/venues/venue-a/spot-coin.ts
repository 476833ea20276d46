/** True for the coin of a spot pair: `@107`, or `PURR/USDC` (venue page, section 2.1). */
export function isSpotCoin(coin: string): boolean {
  return coin.startsWith('@') || coin.includes('/');
}
