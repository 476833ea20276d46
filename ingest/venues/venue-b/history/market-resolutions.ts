/**
 * Finds how markets were resolved before the chain was followed. The logs of a wallet do not name such a resolution: the
 * catalog states the condition of each token, and the node has the log of the condition.
 */
import type { RpcLog } from 'viem';
import { isTransient, retry } from '#infra/runtime/retry';
import { CHAIN_EVENTS } from '#schemas/venues/venue-b/contracts';
import type { HistoryLog, HistoryNode } from './history-node.ts';
import { type FoundTransaction, type ScanLimits, withBlocks } from './scan-wallet.ts';
import { byTransaction } from './wallet-chunk.ts';

const ATTEMPTS_MAX = 5;
/** Conditions of one request. Nodes limit the length of a request. */
const CONDITIONS_OF_REQUEST = 500;
const CONDITION = /^0x[0-9a-f]{64}$/;
const WORDS = /[0-9a-f]{64}/gi;

export interface ResolutionSearch {
  /** Condition ids of the closed markets of these tokens, according to the catalog. */
  readonly closedConditions: (tokens: readonly string[], signal: AbortSignal) => Promise<Iterable<string>>;
  readonly node: HistoryNode;
  readonly signal: AbortSignal;
  readonly limits: Pick<ScanLimits, 'chunkBlocks' | 'parallel'>;
}

/** Ids of the outcome tokens that logs of orders and of transfers name, in decimal digits. */
export function tokensIn(logs: readonly RpcLog[]): string[] {
  return logs.flatMap(({ topics: [event], data }) => wordsOfTokens(event, data)).map(String);
}

/**
 * Returns the transactions between two blocks, both included, that resolved the closed markets of tokens, with the logs of
 * these resolutions alone. Rejects if the catalog or the node fails, and with the signal's reason.
 */
export async function findResolutions(
  { closedConditions, node, signal, limits }: ResolutionSearch,
  tokens: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<FoundTransaction[]> {
  if (tokens.length === 0 || from > to) return [];
  const closed = await retry(() => closedConditions(tokens, signal), {
    canRetry: (error, failures) => failures < ATTEMPTS_MAX && !signal.aborted && isTransient(error),
    signal,
  });
  const conditions = [...closed].map((id) => id.toLowerCase()).filter((id) => CONDITION.test(id));
  const found: HistoryLog[] = [];
  for (let at = 0; at < conditions.length; at += CONDITIONS_OF_REQUEST)
    found.push(...(await logsOf(node, limits, conditions.slice(at, at + CONDITIONS_OF_REQUEST), { from, to })));
  return withBlocks(node, byTransaction(found, []));
}

/** Reads chunk by chunk, until the resolution of each condition is found. */
async function logsOf(
  node: HistoryNode,
  { chunkBlocks, parallel }: ResolutionSearch['limits'],
  conditions: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<HistoryLog[]> {
  const found: HistoryLog[] = [];
  const missing = new Set(conditions);
  for (let next = from; next <= to && missing.size > 0; ) {
    const chunks: { first: number; last: number }[] = [];
    for (; next <= to && chunks.length < parallel; next += chunkBlocks)
      chunks.push({ first: next, last: Math.min(to, next + chunkBlocks - 1) });
    const read = await Promise.all(chunks.map(({ first, last }) => node.resolutions([...missing], first, last)));
    for (const log of read.flat()) {
      found.push(log);
      missing.delete(String(log.topics[1]).toLowerCase());
    }
  }
  return found;
}

/** Words of the token ids of a log (venue page, section 7). Data that is too short names none. */
function wordsOfTokens(event: string | undefined, data: string): bigint[] {
  const words = data.slice(2).match(WORDS) ?? [];
  const word = (at: number) => BigInt(`0x${words[at] ?? '0'}`);
  const isToken = (token: bigint) => token !== 0n;
  switch (event) {
    case CHAIN_EVENTS.orderFilledV1:
      return [word(0), word(1)].filter(isToken);
    case CHAIN_EVENTS.orderFilledV2:
      return [word(1)].filter(isToken);
    case CHAIN_EVENTS.transferSingle:
      return [word(0)].filter(isToken);
    case CHAIN_EVENTS.transferBatch:
      return words.slice(3, 3 + Number(word(2))).map((digits) => BigInt(`0x${digits}`));
    default:
      return [];
  }
}
