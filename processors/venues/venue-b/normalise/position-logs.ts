/**
 * Decodes the logs of splits, merges and conversions, and of the outcome tokens that moved with them (venue page,
 * section 8).
 */
import { CHAIN_EVENTS, CONDITIONAL_TOKENS, NEG_RISK_ADAPTER } from '#schemas/venues/venue-b/contracts';
import { MalformedError } from '../../shared/malformed.ts';
import type { ChainLog } from './chain-message.ts';
import { abiData, hash, topicAddress, word } from './hex.ts';

const CODE = 'malformed_log';
/** Amounts below this fit `Decimal(38,18)`. */
const AMOUNT_LIMIT = 10n ** 26n;
const NO_COLLECTION = `0x${'0'.repeat(64)}`;
/** Most tokens of one transfer: as many as an event has questions, with room to spare. */
const TOKENS_MAX = 1_024;

/** What a contract did with the tokens of a stakeholder. */
export interface PositionAction {
  readonly kind: 'split' | 'merge' | 'convert';
  readonly logIndex: number;
  /** For whom: an account, or a contract of the venue that acts for one. */
  readonly stakeholder: string;
  /** The condition that was split or merged; of a conversion the id of its neg-risk market. */
  readonly subject: string;
  /** Bit `n` is set if the NO tokens of question `n` were converted; 0 for splits and merges. */
  readonly indexSet: bigint;
  readonly units: bigint;
}

/** Outcome tokens that moved from one account to another. */
export interface TokenTransfer {
  readonly kind: 'transfer';
  readonly logIndex: number;
  readonly from: string;
  readonly to: string;
  /** Tokens of which something moved, in decimal digits. */
  readonly items: readonly { readonly token: string; readonly units: bigint }[];
}

export type PositionLog = PositionAction | TokenTransfer;

const OF_TOKENS: ReadonlySet<unknown> = new Set([
  CHAIN_EVENTS.positionSplit,
  CHAIN_EVENTS.positionsMerge,
  CHAIN_EVENTS.transferSingle,
  CHAIN_EVENTS.transferBatch,
]);
const OF_NEG_RISK: ReadonlySet<unknown> = new Set([
  CHAIN_EVENTS.negRiskSplit,
  CHAIN_EVENTS.negRiskMerge,
  CHAIN_EVENTS.positionsConverted,
]);

/** True if `decodePositionLog` decodes the log. */
export function isPositionLog({ address, topics }: ChainLog): boolean {
  if (address === CONDITIONAL_TOKENS) return OF_TOKENS.has(topics[0]);
  return address === NEG_RISK_ADAPTER && OF_NEG_RISK.has(topics[0]);
}

/**
 * Decodes a log for which `isPositionLog` holds. Null for positions that no market of the venue has: those below another
 * position, and parts of a set. Throws `MalformedError`: `malformed_log` for wrong topics or data and for amounts that are
 * too large, `zero_quantity` for an action without an amount.
 */
export function decodePositionLog(log: ChainLog): PositionLog | null {
  const { logIndex } = log;
  switch (log.topics[0]) {
    case CHAIN_EVENTS.transferSingle: {
      const data = abiData(log.data, 2, CODE);
      return { ...sidesOf(log), items: itemsOf([[word(data, 0), word(data, 1)]]) };
    }
    case CHAIN_EVENTS.transferBatch:
      return { ...sidesOf(log), items: itemsOf(readBatch(log)) };
    case CHAIN_EVENTS.positionsConverted: {
      const data = abiData(log.data, 1, CODE);
      const indexSet = BigInt(hash(log.topics[3], 'topics[3]', CODE));
      if (indexSet === 0n) throw new MalformedError(CODE, 'a conversion of no question');
      return { kind: 'convert', logIndex, ...subjectOf(log, 2), indexSet, units: amountOf(word(data, 0)) };
    }
    case CHAIN_EVENTS.negRiskSplit:
    case CHAIN_EVENTS.negRiskMerge: {
      const kind = log.topics[0] === CHAIN_EVENTS.negRiskSplit ? 'split' : 'merge';
      const units = amountOf(word(abiData(log.data, 1, CODE), 0));
      return { kind, logIndex, ...subjectOf(log, 2), indexSet: 0n, units };
    }
    default:
      return readTokenAction(log);
  }
}

/** Words: collateral, offset, amount, number of parts, parts. */
function readTokenAction(log: ChainLog): PositionAction | null {
  const kind = log.topics[0] === CHAIN_EVENTS.positionSplit ? 'split' : 'merge';
  const head = abiData(log.data, 4, CODE);
  const [offset, amount, parts] = [word(head, 1), word(head, 2), word(head, 3)];
  if (offset !== 96n || parts > BigInt(TOKENS_MAX)) throw new MalformedError(CODE, `${parts} parts at ${offset}`);
  const data = abiData(log.data, 4 + Number(parts), CODE);
  const collection = hash(log.topics[2], 'topics[2]', CODE);
  const subject = subjectOf(log, 3);
  const isPair = parts === 2n && word(data, 4) + word(data, 5) === 3n && word(data, 4) !== 0n && word(data, 5) !== 0n;
  if (collection !== NO_COLLECTION || !isPair) return null;
  return { kind, logIndex: log.logIndex, ...subject, indexSet: 0n, units: amountOf(amount) };
}

function subjectOf(log: ChainLog, topic: 2 | 3): Pick<PositionAction, 'stakeholder' | 'subject'> {
  return {
    stakeholder: topicAddress(log.topics[1], 'topics[1]', CODE),
    subject: hash(log.topics[topic], `topics[${topic}]`, CODE),
  };
}

/** Topics: operator, sender, receiver. */
function sidesOf(log: ChainLog): Omit<TokenTransfer, 'items'> {
  const from = topicAddress(log.topics[2], 'topics[2]', CODE);
  return { kind: 'transfer', logIndex: log.logIndex, from, to: topicAddress(log.topics[3], 'topics[3]', CODE) };
}

/** Words: offset of the tokens, offset of the amounts, then both lists, each after its length. */
function readBatch(log: ChainLog): [token: bigint, units: bigint][] {
  const head = abiData(log.data, 3, CODE);
  const count = word(head, 2);
  if (count > BigInt(TOKENS_MAX)) throw new MalformedError(CODE, `a transfer of ${count} tokens`);
  const tokens = Number(count);
  const data = abiData(log.data, 4 + 2 * tokens, CODE);
  const amountsAt = 3 + tokens;
  if (word(data, 0) !== 64n || word(data, 1) !== BigInt(amountsAt * 32) || word(data, amountsAt) !== count)
    throw new MalformedError(CODE, `a transfer of ${count} tokens and ${word(data, amountsAt)} amounts`);
  return Array.from({ length: tokens }, (_, at) => [word(data, 3 + at), word(data, amountsAt + 1 + at)]);
}

function itemsOf(pairs: readonly [token: bigint, units: bigint][]): TokenTransfer['items'] {
  return pairs
    .filter(([, units]) => units !== 0n)
    .map(([token, units]) => ({ token: token.toString(), units: amountOf(units) }));
}

function amountOf(units: bigint): bigint {
  if (units === 0n) throw new MalformedError('zero_quantity', 'an amount of 0');
  if (units >= AMOUNT_LIMIT) throw new MalformedError(CODE, `amount ${units} is too large`);
  return units;
}
