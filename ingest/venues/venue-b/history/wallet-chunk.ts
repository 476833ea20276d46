/** Reads the fills of a wallet in a range of blocks, with the taker legs that show what was traded. */
import { EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { accountIn, type HistoryLog, type HistoryNode, logId } from './history-node.ts';

const EXCHANGE_ADDRESSES: readonly string[] = Object.values(EXCHANGES);
const isExchange = (account: string) => EXCHANGE_ADDRESSES.includes(account);

/** Concurrent requests for taker legs of one chunk. */
const SPANS_AT_ONCE = 4;

/** Limits of one request for taker legs. */
export interface SpanLimits {
  readonly blocks: number;
  readonly accounts: number;
}

export interface WalletChunk {
  /** Maker legs with the wallet on either side: one for each of its trades. */
  readonly fills: number;
  /** Logs of each transaction below `publishBelow`, including those of its taker legs. */
  readonly transactions: readonly (readonly HistoryLog[])[];
}

/**
 * Reads blocks `from` to `to`. If the wallet was the maker of a trade, the taker's own log is looked up: it belongs to
 * another account, so the wallet's filters do not match it.
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
    else legs.set(logId(log), log);
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

/** Groups legs into ranges of blocks, each with the takers of its legs. */
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

/** Groups legs and the taker legs by transaction, each log once, in the order of the chain. */
function byTransaction(legs: readonly HistoryLog[], takerLegs: readonly HistoryLog[]): HistoryLog[][] {
  const found = new Map<string, Map<string, HistoryLog>>();
  for (const leg of legs) {
    const logs = found.get(transactionOf(leg)) ?? new Map<string, HistoryLog>();
    found.set(transactionOf(leg), logs.set(logId(leg), leg));
  }
  for (const log of takerLegs) found.get(transactionOf(log))?.set(logId(log), log);
  return [...found.values()].map((logs) => [...logs.values()].sort((a, b) => Number(a.logIndex) - Number(b.logIndex)));
}

/** Includes the block, so that a transaction that a reorganization moved between two requests is not mixed. */
const transactionOf = ({ blockHash, transactionHash }: HistoryLog) => `${blockHash} ${transactionHash}`;
