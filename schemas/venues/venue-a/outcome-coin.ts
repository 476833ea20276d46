/** True if a coin of venue_a is one side of an outcome, e.g. `#120`, and not an asset (venue page, section 2.1). */
export function isOutcomeCoin(coin: string): boolean {
  return coin.charCodeAt(0) === 0x23;
}
