/** The taker leg of maker legs, with what of its fee each of them bears. */
import { type Decimal, divideHalfEven } from '#schemas/domain/decimal';
import type { OrderFilled } from './order-filled.ts';

export interface TakerLeg {
  readonly order: OrderFilled;
  /** The part of its fee that belongs to one maker leg, in USD; null if the fee is unknown. */
  readonly fee: Decimal | null;
}

/** Splits the fee of a taker leg over its maker legs by quantity, half to even; the last one has the remainder. */
export function takerLegsOf(order: OrderFilled, makerLegs: readonly OrderFilled[]): TakerLeg[] {
  const { fee } = order;
  if (fee === null) return makerLegs.map(() => ({ order, fee }));
  const total = makerLegs.reduce((sum, { qty }) => sum + qty, 0n);
  let left: bigint = fee;
  return makerLegs.map(({ qty }, at) => {
    const part = at === makerLegs.length - 1 ? left : divideHalfEven(fee * qty, total);
    left -= part;
    return { order, fee: part as Decimal };
  });
}
