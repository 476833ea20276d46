/** Whether a coin of venue_a is that of one side of an outcome, as `#120`, and not of an asset (venue page, section 2.1). */
export function isOutcomeCoin(coin: string): boolean {
  return coin.charCodeAt(0) === 0x23;
}
