/** True for the coin of a spot pair: `@107`, or `PURR/USDC` (venue page, section 2.1). */
export function isSpotCoin(coin: string): boolean {
  return coin.startsWith('@') || coin.includes('/');
}

/** The coin of a spot pair, by its place and its name with a slash in the venue's list (venue page, section 2.1). */
export function spotCoinOf({ index, name }: { readonly index: number; readonly name: string }): string {
  return index === 0 ? name : `@${index}`;
}
