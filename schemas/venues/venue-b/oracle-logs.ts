/**
 * Encodes the logs that resolve a market of venue_b (venue page, section 8), for the simulated chain and for tests. It is
 * next to the addresses and events that the decoding side uses.
 */
import { CHAIN_EVENTS, CONDITIONAL_TOKENS, ORACLES, YES_OR_NO_QUERY } from './contracts.ts';

/** A log without its place in the chain. */
export interface EmittedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The fields that all logs of one request share. */
export interface OracleRequest {
  /** Defaults to the first of the oracles. */
  readonly oracle?: string;
  /** The requesting adapter. */
  readonly requester: string;
  /** Defaults to `YES_OR_NO_QUERY`. */
  readonly identifier?: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** `q: title: …, description: … market_id: <n> res_data: …,initializer:<40 hex>`; its keccak256 is the question id. */
  readonly ancillaryText: string;
}

export type OracleStep =
  | { readonly kind: 'request'; readonly reward?: bigint }
  /** @param price see `ORACLE_PRICES`. @param expiration unix seconds. */
  | { readonly kind: 'propose'; readonly proposer: string; readonly price: bigint; readonly expiration: number }
  | { readonly kind: 'dispute'; readonly proposer: string; readonly disputer: string; readonly price: bigint }
  /** `disputer` is the zero address if nobody disputed. */
  | {
      readonly kind: 'settle';
      readonly proposer: string;
      readonly disputer: string;
      readonly price: bigint;
      readonly payout: bigint;
    };

/** Bridged collateral, the currency of bonds and rewards. */
const BOND_CURRENCY = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174';
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Encodes RequestPrice, ProposePrice, DisputePrice or Settle. */
export function encodeOracleLog(request: OracleRequest, step: OracleStep): EmittedLog {
  const { oracle = ORACLES.optimisticV2, requester, identifier = YES_OR_NO_QUERY, timestamp, ancillaryText } = request;
  const bytes = bytesOf(new TextEncoder().encode(ancillaryText));
  /** Identifier, timestamp, offset of the ancillary data, the rest, the ancillary data. */
  const data = (...rest: string[]) =>
    `0x${identifier.slice(2)}${wordOf(BigInt(timestamp))}${wordOf(BigInt((3 + rest.length) * 32))}${rest.join('')}${bytes}`;
  const log = (topics: string[], ...rest: string[]) => ({ address: oracle, topics, data: data(...rest) });
  const requesterTopic = accountTopic(requester);
  switch (step.kind) {
    case 'request':
      return log(
        [CHAIN_EVENTS.requestPrice, requesterTopic],
        accountTopic(BOND_CURRENCY).slice(2),
        wordOf(step.reward ?? 0n),
        wordOf(0n),
      );
    case 'propose':
      return log(
        [CHAIN_EVENTS.proposePrice, requesterTopic, accountTopic(step.proposer)],
        wordOf(step.price),
        wordOf(BigInt(step.expiration)),
        accountTopic(BOND_CURRENCY).slice(2),
      );
    case 'dispute':
      return log(
        [CHAIN_EVENTS.disputePrice, requesterTopic, accountTopic(step.proposer), accountTopic(step.disputer)],
        wordOf(step.price),
      );
    case 'settle':
      return log(
        [CHAIN_EVENTS.settle, requesterTopic, accountTopic(step.proposer), accountTopic(step.disputer)],
        wordOf(step.price),
        wordOf(step.payout),
      );
  }
}

/** Encodes ConditionResolution. @param oracle of the condition: a standard adapter, the neg-risk adapter or a resolver. */
export function encodeConditionResolution(resolution: {
  readonly conditionId: string;
  readonly oracle: string;
  readonly questionId: string;
  readonly numerators: readonly bigint[];
}): EmittedLog {
  const { conditionId, oracle, questionId, numerators } = resolution;
  const slots = wordOf(BigInt(numerators.length));
  return {
    address: CONDITIONAL_TOKENS,
    topics: [CHAIN_EVENTS.conditionResolution, conditionId, accountTopic(oracle), questionId],
    data: `0x${slots}${wordOf(64n)}${slots}${numerators.map(wordOf).join('')}`,
  };
}

/** An address as an indexed topic, lower case. */
export function accountTopic(account: string): string {
  return `0x${account.slice(2).toLowerCase().padStart(64, '0')}`;
}

/** 32 bytes as hex digits, two's complement below zero. */
export function wordOf(value: bigint): string {
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}

/** Length, then content padded to whole words. */
function bytesOf(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${wordOf(BigInt(bytes.length))}${digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')}`;
}
