/** Parses records of `raw.venue_b.rpc`: block headers, logs, which logs are complete, and the node's finalized block. Every field is checked. */

import { isJsonObject, type JsonObject, quoteJson } from '#schemas/domain/json-fields';
import { MalformedError, parseJson } from '../../shared/malformed.ts';
import { address, hash, quantity } from './hex.ts';

/** A block header. */
export interface Header {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Block time, unix ms. */
  readonly timestampMs: number;
}

/** A log with its position; the decoder of its event reads topics and data. Hashes and addresses are lower case. */
export interface ChainLog {
  readonly address: string;
  readonly topics: readonly unknown[];
  readonly data: unknown;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: number;
  /** True if the node reverts the log: its block is no longer in the chain. */
  readonly removed: boolean;
}

/** An account whose transfers of collateral all later blocks contain, with the event time of its binding. */
export interface FollowedCollateral {
  /** Lower case. */
  readonly account: string;
  readonly ledger: number;
}

export type ChainMessage =
  | { readonly kind: 'collateral'; readonly followed: readonly FollowedCollateral[] }
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'log'; readonly log: ChainLog }
  /** All logs of the block have been received. */
  | { readonly kind: 'complete'; readonly hash: string }
  | { readonly kind: 'finalized'; readonly number: number };

/**
 * Reads one record. Throws `MalformedError`: `malformed_json` for invalid JSON; `malformed_header`, `malformed_log` or
 * `malformed_message` for a field that does not conform to JSON-RPC.
 */
export function parseChainMessage(payload: Buffer): ChainMessage {
  const message = parseObject(payload);
  if (isJsonObject(message.log)) return { kind: 'log', log: readLog(message.log) };
  if (isJsonObject(message.block)) return { kind: 'header', header: readHeader(message.block) };
  if ('finalized' in message) {
    return { kind: 'finalized', number: quantity(message.finalized, 'finalized', 'malformed_message') };
  }
  if ('complete' in message) return { kind: 'complete', hash: hash(message.complete, 'complete', 'malformed_message') };
  if ('collateral' in message) return { kind: 'collateral', followed: readFollowed(message.collateral) };
  throw new MalformedError(
    'malformed_message',
    `expected block, log, finalized, complete or collateral, got: ${quoteJson(Object.keys(message))}`,
  );
}

/** Logs of one transaction, with the block that holds them. */
export interface HistoryMessage {
  readonly followedFrom: number;
  readonly block: Pick<Header, 'number' | 'hash' | 'timestampMs'>;
  readonly logs: readonly ChainLog[];
  /** Event time of a binding of which all transfers of collateral from this block on are known by now; else null. */
  readonly collateral: number | null;
}

/**
 * Reads one record of `raw.venue_b.history`. Throws `MalformedError`: `malformed_json`; `malformed_history` or
 * `malformed_log` for an invalid field, and for logs of another block or of several transactions.
 */
export function parseHistoryMessage(payload: Buffer): HistoryMessage {
  const code = 'malformed_history';
  const { followedFrom, block, logs, collateral = null } = parseObject(payload);
  if (!Number.isSafeInteger(followedFrom)) throw new MalformedError(code, `followedFrom: ${quoteJson(followedFrom)}`);
  if (collateral !== null && !Number.isSafeInteger(collateral))
    throw new MalformedError(code, `collateral: ${quoteJson(collateral)}`);
  if (!isJsonObject(block)) throw new MalformedError(code, `block: ${quoteJson(block)}`);
  if (!Array.isArray(logs) || !logs.every(isJsonObject)) throw new MalformedError(code, `logs: ${quoteJson(logs)}`);
  const header = {
    number: quantity(block.number, 'number', code),
    hash: hash(block.hash, 'hash', code),
    timestampMs: quantity(block.timestamp, 'timestamp', code) * 1000,
  };
  const read = logs.map(readLog).sort((a, b) => a.logIndex - b.logIndex);
  for (const log of read) {
    if (log.blockHash !== header.hash || log.blockNumber !== header.number)
      throw new MalformedError(code, `a log of block ${log.blockHash} in a record of block ${header.hash}`);
    if (log.transactionHash !== read[0]!.transactionHash)
      throw new MalformedError(code, `logs of ${read[0]!.transactionHash} and ${log.transactionHash}`);
    if (log.removed) throw new MalformedError(code, `log ${log.logIndex} was removed by the node`);
  }
  return { followedFrom: followedFrom as number, block: header, logs: read, collateral: collateral as number | null };
}

function parseObject(payload: Buffer): JsonObject {
  const value = parseJson(payload.toString());
  if (!isJsonObject(value))
    throw new MalformedError('malformed_message', `expected an object, got: ${quoteJson(value)}`);
  return value;
}

function readFollowed(value: unknown): FollowedCollateral[] {
  const code = 'malformed_message';
  if (!Array.isArray(value) || !value.every(isJsonObject))
    throw new MalformedError(code, `collateral: ${quoteJson(value)}`);
  return value.map(({ account, ledger }) => {
    if (!Number.isSafeInteger(ledger)) throw new MalformedError(code, `ledger: ${quoteJson(ledger)}`);
    return { account: address(account, 'account', code), ledger: ledger as number };
  });
}

function readHeader(block: JsonObject): Header {
  const code = 'malformed_header';
  return {
    number: quantity(block.number, 'number', code),
    hash: hash(block.hash, 'hash', code),
    parentHash: hash(block.parentHash, 'parentHash', code),
    timestampMs: quantity(block.timestamp, 'timestamp', code) * 1000,
  };
}

function readLog(log: JsonObject): ChainLog {
  const code = 'malformed_log';
  if (!Array.isArray(log.topics)) throw new MalformedError(code, `topics: ${quoteJson(log.topics)}`);
  return {
    address: address(log.address, 'address', code),
    topics: log.topics,
    data: log.data,
    blockNumber: quantity(log.blockNumber, 'blockNumber', code),
    blockHash: hash(log.blockHash, 'blockHash', code),
    transactionHash: hash(log.transactionHash, 'transactionHash', code),
    logIndex: quantity(log.logIndex, 'logIndex', code),
    removed: log.removed === true,
  };
}
