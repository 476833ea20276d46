/** What settled outcomes pay to an account: the payout of the side that it last held. */
import type { StageRecord } from '#infra/stages/stage';
import { isOutcomeBalance, isSettledBalance } from '#schemas/domain/accounts/price-key';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import type { VenueAAcquisition } from '#schemas/topics/accounts';
import type { Resolution } from '#schemas/topics/oracle';
import { dropOldest } from '../shared/drop-oldest.ts';
import { type AccountsState, PAYOUTS_MAX } from './state.ts';

/** The market of an outcome is the coin of its side 0, `#E` with E = 10 · outcome. */
export function onResolution({ payouts }: AccountsState, { value }: StageRecord<Resolution>): void {
  const [, outcome] = /^#(\d+)0$/.exec(value.marketId) ?? [];
  if (outcome === undefined) return;
  payouts.delete(Number(outcome));
  payouts.set(Number(outcome), value.payouts);
  dropOldest(payouts, PAYOUTS_MAX);
}

/** Stores the sides that the account holds now, and returns the prices of its settled outcomes by coin. */
export function settledPrices(
  { payouts, sides }: AccountsState,
  { account, balances }: Pick<VenueAAcquisition, 'account' | 'balances'>,
): [coin: string, price: Decimal][] {
  const before = sides.get(account);
  const held = new Map<number, 0 | 1>();
  const prices: [string, Decimal][] = [];
  for (const { coin } of balances) {
    if (isOutcomeBalance(coin)) held.set(Math.floor(Number(coin.slice(1)) / 10), coin.endsWith('1') ? 1 : 0);
    if (!isSettledBalance(coin)) continue;
    const outcome = Number(coin.slice(1));
    const side = before?.get(outcome);
    if (side === undefined) continue;
    held.set(outcome, side);
    const payout = payouts.get(outcome)?.[side];
    if (payout !== undefined) prices.push([coin, parseDecimal(payout)]);
  }
  if (held.size > 0) sides.set(account, held);
  else sides.delete(account);
  return prices;
}
