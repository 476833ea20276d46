/** Ids of fills. A fill has the id of its trade, so that it can be found by it. */

const MAKER_OF_BOTH = ':maker';

/** The id of an account's fill. An account that traded with itself has two fills of one trade in its ledger. */
export function fillIdOf(tradeId: string, role: 'maker' | 'taker', isSelfTrade: boolean): string {
  return isSelfTrade && role === 'maker' ? `${tradeId}${MAKER_OF_BOTH}` : tradeId;
}

/** The id of the trade of a fill. */
export function tradeIdOf(fillId: string): string {
  return fillId.endsWith(MAKER_OF_BOTH) ? fillId.slice(0, -MAKER_OF_BOTH.length) : fillId;
}
