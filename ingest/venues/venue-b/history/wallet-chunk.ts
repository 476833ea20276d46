/** What a stretch of blocks holds of a wallet: its fills, with the taker legs that say what was traded. */
import { EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { accountIn, type HistoryLog, type HistoryNode, placeOf } from './history-node.ts';

const EXCHANGE_ADDRESSES: readonly string[] = Object.values(EXCHANGES);
const isExchange = (account: string) => EXCHANGE_ADDRESSES.includes(account);

/** Questions for taker legs in flight at once, of one chunk. */
const SPANS_AT_ONCE = 4;

/** How much one question for taker legs may span. */
export interface SpanLimits {
  readonly blocks: number;
  readonly accounts: number;
}

export interface WalletChunk {
  /** Maker legs that have the wallet on either side: one for each trade of it. */
  readonly fills: number;
  /** Of the blocks below `publishBelow`: the logs of each transaction, those of its taker legs among them. */
  readonly transactions: readonly (readonly HistoryLog[])[];
}

/**
 * Reads blocks `from` to `to`. Where the wallet's order met a taker's, the taker's own log is looked up: it has another
 * account's name, so the wallet's filters do not find it.
 */
export async function readWalletChunk(
  node: HistoryNode,
  wallet: string,
  { from, to, publishBelow }: { readonly from: number; readonly to: number; readonly publishBelow: number },
  limits: SpanLimits,
): Promise<WalletChunk> {
  const [own, against] = await Promise.all([
    node.orders({ makers: [wallet], takers: null }, from, to),
    node.orders({ makers: null, takers: [wallet] }, from, to),
  ]);
  const legs = new Map<string, HistoryLog>();
  const takerLegs: HistoryLog[] = [];
  for (const log of [...own, ...against]) {
    if (isExchange(accountIn(log, 3))) takerLegs.push(log);
    else legs.set(placeOf(log), log);
  }
  const wanted = [...legs.values()].filter((log) => Number(log.blockNumber) < publishBelow);
  const asMaker = wanted.filter((log) => accountIn(log, 2) === wallet);
  const spans = spansOf(asMaker, limits);
  for (let at = 0; at < spans.length; at += SPANS_AT_ONCE) {
    const some = spans.slice(at, at + SPANS_AT_ONCE);
    const found = await Promise.all(
      some.map((span) => node.orders({ makers: span.accounts, takers: EXCHANGE_ADDRESSES }, span.from, span.to)),
    );
    takerLegs.push(...found.flat());
  }
  return { fills: legs.size, transactions: byTransaction(wanted, takerLegs) };
}

interface Span {
  readonly from: number;
  to: number;
  readonly accounts: string[];
}

/** Stretches of blocks that hold all the legs, each with the takers of its legs. */
function spansOf(legs: readonly HistoryLog[], limits: SpanLimits): Span[] {
  const spans: Span[] = [];
  const inOrder = [...legs].sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber));
  for (const leg of inOrder) {
    const number = Number(leg.blockNumber);
    const taker = accountIn(leg, 3);
    const span = spans.at(-1);
    const fits =
      span &&
      number - span.from < limits.blocks &&
      (span.accounts.includes(taker) || span.accounts.length < limits.accounts);
    if (!fits) spans.push({ from: number, to: number, accounts: [taker] });
    else {
      span.to = number;
      if (!span.accounts.includes(taker)) span.accounts.push(taker);
    }
  }
  return spans;
}

/** Legs and the taker legs of their transactions, each log once, in the order of the chain. */
function byTransaction(legs: readonly HistoryLog[], takerLegs: readonly HistoryLog[]): HistoryLog[][] {
  const found = new Map<string, Map<string, HistoryLog>>();
  for (const leg of legs) {
    const logs = found.get(transactionOf(leg)) ?? new Map<string, HistoryLog>();
    found.set(transactionOf(leg), logs.set(placeOf(leg), leg));
  }
  for (const log of takerLegs) found.get(transactionOf(log))?.set(placeOf(log), log);
  return [...found.values()].map((logs) => [...logs.values()].sort((a, b) => Number(a.logIndex) - Number(b.logIndex)));
}

/** With the block: a transaction that a reorganisation moved between two questions must not be mixed. */
const transactionOf = ({ blockHash, transactionHash }: HistoryLog) => `${blockHash} ${transactionHash}`;
