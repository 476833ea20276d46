/**
 * Encodes the logs of matches (venue page, section 7) by hand, which is many times faster than a general encoder. A
 * test decodes them with a general decoder.
 */
import { hashOf, hexOf, STREAM } from '../../world/hash.ts';
import type { Match, MatchLeg } from '../../world/matches.ts';
import type { QuestionIds } from '../../world/question-ids.ts';
import type { World } from '../../world/world.ts';
import { CTF_EXCHANGE, TOPIC } from './contracts.ts';

/** A log without its position in the chain. */
export interface LogBody {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** Fee rate of the simulated price markets, in hundredths (venue page, section 7: crypto 0.07). */
export const FEE_RATE_HUNDREDTHS = 7;

const ZERO_WORD = '0'.repeat(64);

function word(value: number | bigint): string {
  return value.toString(16).padStart(64, '0');
}

function addressTopic(address: string): string {
  return `0x${'0'.repeat(24)}${address.slice(2)}`;
}

/** Hash of a match's transaction, the same on the market socket and on the chain. */
export function transactionHash(world: World, match: Match): string {
  return hexOf(world.settings.seed, STREAM.hex, match.event, 10, 32);
}

/** Shares (hundredths) and price (thousandths) as units of 10^-6. */
const quantityUnits = (size: number) => size * 10_000;
const usdUnits = (size: number, price: number) => size * price * 10;

/** Taker fee of venue_b: rate·qty·p·(1−p) USD, floored to five decimals; in units of 10^-6. */
export function takerFeeUnits(usd: number, quantity: number): bigint {
  const [paid, shares] = [BigInt(usd), BigInt(quantity)];
  return ((BigInt(FEE_RATE_HUNDREDTHS) * paid * (shares - paid)) / (100n * shares * 10n)) * 10n;
}

interface Order {
  readonly hash: string;
  readonly account: string;
  readonly isBuy: boolean;
  readonly tokenWord: string;
  /** Units of 10^-6. */
  readonly quantity: number;
  readonly usd: number;
  readonly fee: bigint;
  readonly builder: string;
}

/** A buyer pays USD and receives shares, a seller the reverse. */
function amounts({ isBuy, quantity, usd }: Order): string {
  return isBuy ? word(usd) + word(quantity) : word(quantity) + word(usd);
}

function orderFilled(order: Order, counterparty: string): LogBody {
  return {
    address: CTF_EXCHANGE,
    topics: [TOPIC.orderFilled, order.hash, addressTopic(order.account), addressTopic(counterparty)],
    data: `0x${word(order.isBuy ? 0 : 1)}${order.tokenWord}${amounts(order)}${word(order.fee)}${order.builder.slice(2)}${ZERO_WORD}`,
  };
}

function makerOrder(world: World, ids: QuestionIds, match: Match, leg: MatchLeg, nth: number, taker: string): Order {
  const { seed } = world.settings;
  const isOwnToken = leg.kind === 'complementary';
  const token = isOwnToken ? match.token : 1 - match.token;
  const price = isOwnToken ? leg.price : 1_000 - leg.price;
  return {
    hash: hexOf(seed, STREAM.hex, match.event, 20 + nth, 32),
    account: otherThan(world, taker, leg.chance),
    // On the same token the maker has the opposite side; a mint has two buyers, a merge two sellers.
    isBuy: isOwnToken ? !match.isTakerBuy : match.isTakerBuy,
    tokenWord: ids.tokenWords[token]!,
    quantity: quantityUnits(leg.size),
    usd: usdUnits(leg.size, price),
    fee: 0n,
    builder: world.population.builder(hashOf(seed, STREAM.builder, match.event, 1 + nth)),
  };
}

function otherThan(world: World, account: string, chance: number): string {
  const [first, second] = world.population.couple(chance);
  return first === account ? second : first;
}

/** Logs of a match in order: one per maker order, that of the taker order, then `OrdersMatched`. */
export function matchLogs(world: World, ids: QuestionIds, match: Match): LogBody[] {
  const { seed } = world.settings;
  const account = world.population.account(match.chance);
  const sum = (of: (leg: MatchLeg) => number) => match.legs.reduce((total, leg) => total + of(leg), 0);
  const quantity = sum((leg) => quantityUnits(leg.size));
  const usd = sum((leg) => usdUnits(leg.size, leg.price));
  const taker: Order = {
    hash: hexOf(seed, STREAM.hex, match.event, 11, 32),
    account,
    isBuy: match.isTakerBuy,
    tokenWord: ids.tokenWords[match.token],
    quantity,
    usd,
    fee: takerFeeUnits(usd, quantity),
    builder: world.population.builder(hashOf(seed, STREAM.builder, match.event, 0)),
  };
  const makers = match.legs.map((leg, nth) => orderFilled(makerOrder(world, ids, match, leg, nth, account), account));
  return [
    ...makers,
    orderFilled(taker, CTF_EXCHANGE),
    {
      address: CTF_EXCHANGE,
      topics: [TOPIC.ordersMatched, taker.hash, addressTopic(account)],
      data: `0x${word(taker.isBuy ? 0 : 1)}${taker.tokenWord}${amounts(taker)}`,
    },
  ];
}
