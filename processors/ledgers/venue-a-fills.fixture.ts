import type { FillList, FillPage, VenueAFill } from '#schemas/topics/account-fills';

/** A purchase of 1 BTC at 100 as a taker, at `time`; the position before it is 0. */
export function coinFill(time: number, fields: Partial<VenueAFill> = {}): VenueAFill {
  return {
    provider: 'venue_a_perp',
    coin: 'BTC',
    time,
    side: 'buy',
    role: 'taker',
    price: '100',
    qty: '1',
    startPosition: '0',
    dir: 'Open Long',
    closedPnl: '0',
    hash: '0x1',
    tid: time,
    oid: time,
    fee: '0.1',
    feeToken: 'USDC',
    isFeeTraded: false,
    builderFee: null,
    builder: null,
    liquidatedUser: null,
    liquidationMark: null,
    liquidationMethod: null,
    ...fields,
  };
}

/** A response to a request for fills from a time on; the last one of its list unless it is full. */
export function fillPage(
  user: string,
  list: FillList,
  from: number,
  fills: readonly VenueAFill[],
  isFull = false,
): FillPage {
  const receivedAt = 10_000_000 + from;
  return { user, list, from, until: null, requestedAt: receivedAt, receivedAt, isFull, fills };
}
