/** Parses names of coins (venue page, section 2.1). */

/** Returns the coin `#E` of an outcome, with E = 10 * outcome + side; side 0 is YES or the first name. */
export function outcomeCoin(outcome: number, side: 0 | 1): string {
  return `#${outcome * 10 + side}`;
}

/** Parses `#E` into outcome and side; null for any other coin. */
export function parseOutcomeCoin(coin: string): { readonly outcome: number; readonly side: 0 | 1 } | null {
  const written = /^#(\d{0,13})([01])$/.exec(coin);
  return written ? { outcome: Number(written[1]), side: written[2] === '1' ? 1 : 0 } : null;
}
