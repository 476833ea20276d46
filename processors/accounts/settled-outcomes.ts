/** What settled outcomes pay to an account: the payout of the side that it last held. */
import type { StageRecord } from '#infra/stages/stage';
import { isOutcomeBalance, isSettledBalance } from '#schemas/domain/accounts/price-key';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import type { VenueAAcquisition } from '#schemas/topics/accounts';
import type { Resolution } from '#schemas/topics/oracle';
import { type AccountsState, type HeldSide, PAYOUTS_MAX, SIDES_MAX, SIDES_MS } from './state.ts';

/** The market of an outcome is the coin of its side 0, `#E` with E = 10 · outcome. */
export function onResolution({ payouts }: AccountsState, { value }: StageRecord<Resolution>): void {
  const [, outcome] = /^#(\d+)0$/.exec(value.marketId) ?? [];
  if (outcome === undefined) return;
  payouts.set(Number(outcome), value.payouts);
  if (payouts.size > PAYOUTS_MAX) dropLowest(payouts);
}

/** Stores the sides that the account holds now, and returns the prices of its settled outcomes by coin. */
export function settledPrices(
  { payouts, sides, followed }: AccountsState,
  { account, receivedAt, balances }: Pick<VenueAAcquisition, 'account' | 'receivedAt' | 'balances'>,
): [coin: string, price: Decimal][] {
  const known = sides.get(account);
  const isKnown = followed.has(account) || receivedAt - (known?.receivedAt ?? 0) <= SIDES_MS;
  const before = isKnown ? known?.held : null;
  const held = new Map<number, HeldSide>();
  const prices: [string, Decimal][] = [];
  for (const { coin, total } of balances) {
    // The venue lists balances that are used up.
    if (parseDecimal(total) === 0n) continue;
    if (isOutcomeBalance(coin)) setHeldSide(held, coin);
    if (!isSettledBalance(coin)) continue;
    const outcome = Number(coin.slice(1));
    const side = before?.get(outcome);
    if (side === undefined) continue;
    held.set(outcome, side);
    const payout = payoutOf(payouts.get(outcome), side);
    if (payout !== null) prices.push([coin, payout]);
  }
  // The accounts that were read last are the last ones of the map.
  sides.delete(account);
  if (held.size > 0) sides.set(account, { receivedAt, held });
  forgetSides(sides, followed, receivedAt);
  return prices;
}

/** Numbers of outcomes grow with time, so which payouts are known does not depend on when they became known. */
function dropLowest(payouts: AccountsState['payouts']): void {
  const outcomes = [...payouts.keys()].sort((a, b) => a - b);
  for (const outcome of outcomes.slice(0, PAYOUTS_MAX / 100)) payouts.delete(outcome);
}

/** @param coin `+E` with E = 10 · outcome + side. */
function setHeldSide(held: Map<number, HeldSide>, coin: string): void {
  const [, outcome, side] = /^\+(\d*)([01])$/.exec(coin) ?? [];
  if (outcome === undefined) return;
  const own = Number(side) as 0 | 1;
  const other = held.get(Number(outcome));
  held.set(Number(outcome), other === undefined || other === own ? own : 'both');
}

/** What is left of both sides is one balance, whose parts are unknown: it has a price only if both pay the same. */
function payoutOf(payouts: readonly string[] | undefined, side: HeldSide): Decimal | null {
  const [first, second] = (payouts ?? []).map(parseDecimal);
  if (first === undefined || second === undefined) return null;
  if (side === 'both') return first === second ? first : null;
  return side === 0 ? first : second;
}

/** Forgets the accounts that were read longest ago and are not followed: nobody may ever read those again. */
function forgetSides(sides: AccountsState['sides'], followed: AccountsState['followed'], now: number): void {
  for (const [account, { receivedAt }] of sides) {
    if (sides.size <= SIDES_MAX && now - receivedAt <= SIDES_MS) return;
    if (!followed.has(account)) sides.delete(account);
  }
}
