/** The orders of a match: who bought or sold how much of which token. They follow from the match alone. */
import { hashOf, STREAM } from '../../world/hash.ts';
import { accountChances, type Match, type MatchLeg } from '../../world/matches.ts';
import type { MatchEvent, World } from '../../world/world.ts';

/** Fee rate of the simulated price markets, in hundredths (venue page, section 7: crypto 0.07). */
export const FEE_RATE_HUNDREDTHS = 7;

/** An order as far as one match filled it. */
export interface MatchOrder {
  readonly account: string;
  readonly isBuy: boolean;
  /** 0 is YES, 1 is NO. */
  readonly token: 0 | 1;
  /** Millionths of a share. */
  readonly quantity: number;
  /** Millionths of a dollar, without the fee. */
  readonly usd: number;
  /** Millionths of a dollar. */
  readonly fee: bigint;
  readonly builder: string;
}

/** Shares (hundredths) and price (thousandths) as units of 10^-6. */
const quantityUnits = (size: number) => size * 10_000;
const usdUnits = (size: number, price: number) => size * price * 10;

/** Taker fee of venue_b: rate·qty·p·(1−p) USD, floored to five decimals; in units of 10^-6. */
export function takerFeeUnits(usd: number, quantity: number): bigint {
  const [paid, shares] = [BigInt(usd), BigInt(quantity)];
  return ((BigInt(FEE_RATE_HUNDREDTHS) * paid * (shares - paid)) / (100n * shares * 10n)) * 10n;
}

/** The orders of the makers in the order of the legs, then that of the taker. */
export function matchOrders(world: World, match: Match): MatchOrder[] {
  const { seed } = world.settings;
  const account = world.population.account(match.chance);
  const sum = (of: (leg: MatchLeg) => number) => match.legs.reduce((total, leg) => total + of(leg), 0);
  const quantity = sum((leg) => quantityUnits(leg.size));
  const usd = sum((leg) => usdUnits(leg.size, leg.price));
  const taker: MatchOrder = {
    account,
    isBuy: match.isTakerBuy,
    token: match.token,
    quantity,
    usd,
    fee: takerFeeUnits(usd, quantity),
    builder: world.population.builder(hashOf(seed, STREAM.builder, match.event, 0)),
  };
  return [...match.legs.map((leg, nth) => makerOrder(world, match, leg, nth, account)), taker];
}

function makerOrder(world: World, match: Match, leg: MatchLeg, nth: number, taker: string): MatchOrder {
  const isOwnToken = leg.kind === 'complementary';
  const price = isOwnToken ? leg.price : 1_000 - leg.price;
  return {
    account: otherThan(world, taker, leg.chance),
    // On the same token the maker has the opposite side; a mint has two buyers, a merge two sellers.
    isBuy: isOwnToken ? !match.isTakerBuy : match.isTakerBuy,
    token: isOwnToken ? match.token : match.token === 0 ? 1 : 0,
    quantity: quantityUnits(leg.size),
    usd: usdUnits(leg.size, price),
    fee: 0n,
    builder: world.population.builder(hashOf(world.settings.seed, STREAM.builder, match.event, 1 + nth)),
  };
}

function otherThan(world: World, account: string, chance: number): string {
  const [first, second] = world.population.couple(chance);
  return first === account ? second : first;
}

/** The account of the taker order of the match of an event. */
export function takerOf(world: World, { event }: Pick<MatchEvent, 'event'>): string {
  return world.population.account(accountChances(world.settings.seed, event)[0]!);
}

/** Accounts that may have an order in the match of an event; null if any may. The actual makers depend on the book. */
export function possibleAccounts(world: World, event: number): string[] | null {
  if (world.injections?.ofEvent(event)) return null;
  const [taker, ...makers] = accountChances(world.settings.seed, event);
  return [world.population.account(taker!), ...makers.flatMap((chance) => world.population.couple(chance))];
}

/** True if one of the accounts may have an order in the match. */
export function mayHaveOrder(
  world: World,
  { event }: Pick<MatchEvent, 'event'>,
  accounts: Pick<ReadonlySet<string>, 'has'>,
): boolean {
  return possibleAccounts(world, event)?.some((account) => accounts.has(account)) ?? true;
}
