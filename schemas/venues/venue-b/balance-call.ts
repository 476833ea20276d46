/** Calls of `balanceOf` of a collateral token, as raw records and recordings name them (venue_b page, section 4). */
import type { JsonObject } from '../../domain/json-fields.ts';
import { COLLATERAL_TOKENS } from './contracts.ts';

const BALANCE_OF = '0x70a08231';
const TOKENS: readonly string[] = Object.values(COLLATERAL_TOKENS);

/** Parameters of the call. */
export interface BalanceCall {
  readonly to: string;
  readonly data: string;
}

/** @param account address in lower case. */
export function balanceCall(token: string, account: string): BalanceCall {
  return { to: token, data: `${BALANCE_OF}${account.slice(2).padStart(64, '0')}` };
}

/**
 * Reads `{to, data, block}`; null for any other call. The block is a number, or its hex quantity. `oldestAt` is when the
 * oldest response of the acquisition was received, unix ms, which ingest adds; recordings of others lack it.
 */
export function readBalanceCall({ to, data, block, oldestAt }: JsonObject) {
  const [, padded] = /^0x70a08231(0{24}[0-9a-f]{40})$/i.exec(String(data)) ?? [];
  const token = String(to).toLowerCase();
  const number = Number(block);
  if (padded === undefined || !TOKENS.includes(token) || !Number.isSafeInteger(number)) return null;
  return {
    token,
    account: `0x${padded.slice(24).toLowerCase()}`,
    block: number,
    oldestAt: Number.isSafeInteger(oldestAt) ? (oldestAt as number) : null,
  };
}
