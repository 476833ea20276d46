/**
 * Encodes the logs of matches (venue page, section 7) by hand, which is many times faster than a general encoder. A
 * test decodes them with a general decoder.
 */
import { hexOf, STREAM } from '../../world/hash.ts';
import type { Match } from '../../world/matches.ts';
import type { QuestionIds } from '../../world/question-ids.ts';
import type { World } from '../../world/world.ts';
import { CTF_EXCHANGE, TOPIC } from './contracts.ts';
import type { MatchOrder } from './match-orders.ts';

/** A log without its position in the chain. */
export interface LogBody {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

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

/** An order as it is logged. */
interface Order extends MatchOrder {
  readonly hash: string;
  readonly tokenWord: string;
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

/** Logs of a match in order: one per maker order, that of the taker order, then `OrdersMatched`. */
export function matchLogs(world: World, ids: QuestionIds, match: Match, orders: readonly MatchOrder[]): LogBody[] {
  const { seed } = world.settings;
  const logged = orders.map((order, nth): Order => {
    const isTaker = nth === orders.length - 1;
    return {
      ...order,
      hash: hexOf(seed, STREAM.hex, match.event, isTaker ? 11 : 20 + nth, 32),
      tokenWord: ids.tokenWords[order.token],
    };
  });
  const taker = logged.at(-1)!;
  return [
    ...logged.slice(0, -1).map((maker) => orderFilled(maker, taker.account)),
    orderFilled(taker, CTF_EXCHANGE),
    {
      address: CTF_EXCHANGE,
      topics: [TOPIC.ordersMatched, taker.hash, addressTopic(taker.account)],
      data: `0x${word(taker.isBuy ? 0 : 1)}${taker.tokenWord}${amounts(taker)}`,
    },
  ];
}
