/** Reads the events of a wallet in a range of blocks, with the logs that show what they mean. */
import { isTradedWith } from '#schemas/domain/returns/venue-b-flows';
import { COLLATERAL_ADAPTERS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { accountIn, type HistoryLog, type HistoryNode, kindOf, logId } from './history-node.ts';

const EXCHANGE_ADDRESSES: readonly string[] = Object.values(EXCHANGES);
const isExchange = (account: string) => EXCHANGE_ADDRESSES.includes(account);

const isAdapter = (account: string) => (COLLATERAL_ADAPTERS as readonly string[]).includes(account);

/** Concurrent look-ups of one chunk. */
const SPANS_AT_ONCE = 4;

/** Limits of one look-up. */
export interface SpanLimits {
  readonly blocks: number;
  readonly accounts: number;
}

export interface WalletChunk {
  /** Maker legs with the wallet on either side: one for each of its trades. */
  readonly fills: number;
  /** Logs of each transaction in which the wallet traded, split, merged, converted, deposited or withdrew. */
  readonly transactions: readonly (readonly HistoryLog[])[];
}

/**
 * Reads blocks `from` to `to` with three requests, one for each position at which a log names an account. Two things are
 * looked up in addition: if the wallet was the maker of a trade, the taker's own log, which names another account; and
 * if it sent tokens to a collateral adapter or received some, what the adapter did with them.
 */
export async function readWalletChunk(
  node: HistoryNode,
  wallet: string,
  { from, to }: { readonly from: number; readonly to: number },
  limits: SpanLimits,
): Promise<WalletChunk> {
  const named = await Promise.all(([1, 2, 3] as const).map((position) => node.logsNaming(wallet, position, from, to)));
  const logs = new Map(named.flat().map((log) => [logId(log), log]));
  const own = [...logs.values()];
  const orders = own.filter((log) => kindOf(log) === 'order');
  const takerLegs = orders.filter((log) => isExchange(accountIn(log, 3)));
  const legs = orders.filter((log) => !isExchange(accountIn(log, 3)));
  const asMaker = legs.filter((log) => accountIn(log, 2) === wallet);
  takerLegs.push(
    ...(await lookUp(
      spansOf(asMaker, (leg) => accountIn(leg, 3), limits),
      (span) => node.orders({ makers: span.accounts, takers: EXCHANGE_ADDRESSES }, span.from, span.to),
    )),
  );
  const transfers = own.filter((log) => kindOf(log) === 'transfer');
  const throughAdapter = transfers.filter((log) => isAdapter(accountIn(log, 2)) || isAdapter(accountIn(log, 3)));
  const adapterActions = await lookUp(
    spansOf(throughAdapter, () => wallet, limits),
    (span) => node.adapterActions(span.from, span.to),
  );
  const withAdapter = new Set(throughAdapter.map(transactionOf));
  const actions = [
    ...own.filter((log) => kindOf(log) === 'action'),
    ...adapterActions.filter((log) => withAdapter.has(transactionOf(log))),
  ];
  const collateral = own.filter((log) => kindOf(log) === 'collateral');
  // What is paid to the contracts of the venue and received from them is no flow.
  const flows = collateral.filter((log) => !isTradedWith(accountIn(log, 1)) && !isTradedWith(accountIn(log, 2)));
  return {
    fills: legs.length,
    transactions: byTransaction([...legs, ...actions, ...flows], [...takerLegs, ...transfers]),
  };
}

async function lookUp(spans: readonly Span[], request: (span: Span) => Promise<HistoryLog[]>): Promise<HistoryLog[]> {
  const found: HistoryLog[] = [];
  for (let at = 0; at < spans.length; at += SPANS_AT_ONCE)
    found.push(...(await Promise.all(spans.slice(at, at + SPANS_AT_ONCE).map(request))).flat());
  return found;
}

interface Span {
  readonly from: number;
  to: number;
  readonly accounts: string[];
}

/** Groups logs into ranges of blocks, each with the accounts that are to be looked up there. */
function spansOf(logs: readonly HistoryLog[], accountOf: (log: HistoryLog) => string, limits: SpanLimits): Span[] {
  const spans: Span[] = [];
  const inOrder = [...logs].sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber));
  for (const log of inOrder) {
    const number = Number(log.blockNumber);
    const account = accountOf(log);
    const span = spans.at(-1);
    const fits =
      span &&
      number - span.from < limits.blocks &&
      (span.accounts.includes(account) || span.accounts.length < limits.accounts);
    if (!fits) spans.push({ from: number, to: number, accounts: [account] });
    else {
      span.to = number;
      if (!span.accounts.includes(account)) span.accounts.push(account);
    }
  }
  return spans;
}

/** Groups logs by transaction, each once, in the order of the chain; of `others` only those beside one of `events`. */
export function byTransaction(events: readonly HistoryLog[], others: readonly HistoryLog[]): HistoryLog[][] {
  const found = new Map<string, Map<string, HistoryLog>>();
  for (const leg of events) {
    const logs = found.get(transactionOf(leg)) ?? new Map<string, HistoryLog>();
    found.set(transactionOf(leg), logs.set(logId(leg), leg));
  }
  for (const log of others) found.get(transactionOf(log))?.set(logId(log), log);
  return [...found.values()].map((logs) => [...logs.values()].sort((a, b) => Number(a.logIndex) - Number(b.logIndex)));
}

/** Includes the block, so that a transaction that a reorganization moved between two requests is not mixed. */
const transactionOf = ({ blockHash, transactionHash }: HistoryLog) => `${blockHash} ${transactionHash}`;
