/**
 * Calculates the value of an account of venue_a a second time, straight from the texts of the responses: as a list of
 * worths in whole fractions, without the types and functions of the calculation.
 */
import type { AccountFigures, DexFigures } from './accounts.fixture.ts';

/** A count of 10^-36. */
type Fine = bigint;

const SCALE = 36;

function fine(text: string): Fine {
  const negative = text.startsWith('-');
  const [integer = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(integer + fraction.padEnd(SCALE, '0'));
  return negative ? -value : value;
}

const times = (a: Fine, b: Fine): Fine => (a * b) / 10n ** BigInt(SCALE);

/** Prints the exact value; throws if it has more than 18 decimals. */
export function printed(value: Fine): string {
  if (value % 10n ** 18n !== 0n) throw new Error('the example has more than 18 decimals');
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`;
}

export function naiveAccountValue(
  { mode = 'default', dexes = {}, balances = [], vaults = [], staked = {} }: AccountFigures,
  prices: Readonly<Record<string, string>>,
  collateral: Readonly<Record<string, number>>,
) {
  const priceOf = (key: string | number) => (key === 0 || key === '0' ? fine('1') : fine(prices[key]!));
  const all = Object.entries<DexFigures>({ '': {}, ...dexes });
  const tokenOf = (dex: string) => (dex === '' ? 0 : collateral[dex]!);
  let [perp, spot, vault, staking, available, pnl] = [0n, 0n, 0n, 0n, 0n, 0n];
  for (const equity of vaults) vault += fine(equity);
  for (const amount of [staked.delegated, staked.undelegated, staked.pending])
    if (amount !== undefined) staking += times(fine(amount), priceOf(150));
  for (const { coin, token, total } of balances) spot += times(fine(total), priceOf(token ?? coin));
  for (const [dex, state] of all)
    for (const amount of state.pnl ?? []) pnl += times(fine(amount), priceOf(tokenOf(dex)));
  if (mode === 'unifiedAccount' || mode === 'portfolioMargin') {
    const margins = new Map<number, Fine>();
    for (const [dex, state] of all)
      margins.set(tokenOf(dex), (margins.get(tokenOf(dex)) ?? 0n) + fine(state.marginUsed ?? '0'));
    for (const [token, margin] of margins) {
      const balance = balances.find((candidate) => candidate.token === token);
      const total = fine(balance?.total ?? '0');
      const [, carved = 0n] = [0n, margin, total < 0n ? 0n : total].sort((a, b) => Number(a - b));
      perp += times(carved, priceOf(token));
      available += times(total - fine(balance?.hold ?? '0'), priceOf(token));
    }
    spot -= perp;
    if (available < 0n) available = 0n;
  } else
    for (const [dex, state] of all) {
      perp += times(fine(state.accountValue ?? '0'), priceOf(tokenOf(dex)));
      available += times(fine(state.withdrawable ?? '0'), priceOf(tokenOf(dex)));
    }
  return {
    valueUsd: printed(perp + spot + vault + staking),
    availableUsd: printed(available),
    unrealizedPnlUsd: printed(pnl),
    perp: printed(perp),
    spot: printed(spot),
    vault: printed(vault),
    staking: printed(staking),
  };
}
