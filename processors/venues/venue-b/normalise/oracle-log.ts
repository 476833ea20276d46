/** Decodes ProposePrice, DisputePrice and Settle of the optimistic oracles (venue page, section 8). */
import {
  CHAIN_EVENTS,
  NEG_RISK_ADAPTERS,
  ORACLE_PRICES,
  ORACLES,
  STANDARD_ADAPTERS,
  YES_OR_NO_QUERY,
} from '#schemas/venues/venue-b/contracts';
import { MalformedError } from '../../shared/malformed.ts';
import type { ChainLog } from './chain-message.ts';
import { abiBytes, abiData, signedWord, topicAddress, word } from './hex.ts';

const CODE = 'malformed_log';
const ADDRESSES: ReadonlySet<unknown> = new Set(Object.values(ORACLES));
const STANDARD: ReadonlySet<string> = new Set(Object.values(STANDARD_ADAPTERS));
const NEG_RISK: ReadonlySet<string> = new Set(Object.values(NEG_RISK_ADAPTERS));
const PHASES: ReadonlyMap<unknown, OracleLog['phase']> = new Map([
  [CHAIN_EVENTS.proposePrice, 'propose'],
  [CHAIN_EVENTS.disputePrice, 'dispute'],
  [CHAIN_EVENTS.settle, 'settle'],
]);
const NO_ACCOUNT = `0x${'0'.repeat(40)}`;
/** Identifier, timestamp, offset of the ancillary data, price: the same in all three events. */
const HEAD_WORDS = 4;

export interface OracleLog {
  readonly phase: 'propose' | 'dispute' | 'settle';
  readonly requester: string;
  readonly isNegRisk: boolean;
  /** Unix seconds. */
  readonly requestTimestamp: number;
  /** Hex with `0x`. */
  readonly ancillaryData: `0x${string}`;
  readonly proposer: string | null;
  readonly disputer: string | null;
  /** The proposed or settled price; null where it is none of the four answers. */
  readonly price: keyof typeof ORACLE_PRICES | null;
}

/** True if a log is a phase of an oracle request, of this venue or of another project. */
export function isOracleLog(log: ChainLog): boolean {
  return ADDRESSES.has(log.address) && PHASES.has(log.topics[0]);
}

/**
 * Decodes a log for which `isOracleLog` holds. Null where the requester is none of the venue's adapters: the oracle
 * serves other projects too. Throws `MalformedError` (`malformed_log`).
 */
export function decodeOracleLog(log: ChainLog): OracleLog | null {
  const requester = topicAddress(log.topics[1], 'topics[1]', CODE);
  const isNegRisk = NEG_RISK.has(requester);
  if (!isNegRisk && !STANDARD.has(requester)) return null;
  const phase = PHASES.get(log.topics[0])!;
  const data = abiData(log.data, HEAD_WORDS, CODE);
  const requestTimestamp = word(data, 1);
  if (requestTimestamp > BigInt(Number.MAX_SAFE_INTEGER))
    throw new MalformedError(CODE, `timestamp: ${requestTimestamp}`);
  return {
    phase,
    requester,
    isNegRisk,
    requestTimestamp: Number(requestTimestamp),
    ancillaryData: abiBytes(data, word(data, 2), 'ancillaryData', CODE),
    proposer: accountOrNone(log.topics[2], 'topics[2]'),
    disputer: phase === 'propose' ? null : accountOrNone(log.topics[3], 'topics[3]'),
    price: data.slice(0, 66).toLowerCase() === YES_OR_NO_QUERY ? answerOf(signedWord(data, 3)) : null,
  };
}

/** Reads an account; null for the zero address, which stands for none, as in a settlement without a dispute. */
function accountOrNone(topic: unknown, field: string): string | null {
  const account = topicAddress(topic, field, CODE);
  return account === NO_ACCOUNT ? null : account;
}

function answerOf(price: bigint): OracleLog['price'] {
  for (const [answer, value] of Object.entries(ORACLE_PRICES)) {
    if (value === price) return answer as keyof typeof ORACLE_PRICES;
  }
  return null;
}
