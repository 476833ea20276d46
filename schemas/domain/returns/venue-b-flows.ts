/** Flows of an account of venue_b: what each transaction changed of its collateral (venue page, section 6). */
import {
  COLLATERAL_ADAPTERS,
  CONDITIONAL_TOKENS,
  EXCHANGES,
  FEE_MODULES,
  NEG_RISK_ADAPTER,
} from '../../venues/venue-b/contracts.ts';
import { type Decimal, decimalFromUnits } from '../decimal.ts';
import type { KnownFlow } from './flows.ts';

/** Decimals of pUSD and USDC.e. */
const COLLATERAL_DECIMALS = 6;

/** A transfer of pUSD or USDC.e. Addresses and hash are in lower case. */
export interface CollateralTransfer {
  readonly txHash: string;
  /** Time of the block, ms. */
  readonly ts: number;
  readonly from: string;
  readonly to: string;
  /** Units of the token. */
  readonly units: bigint;
}

/** Contracts with which an account trades: what it pays to them and receives from them is no flow. */
const TRADED_WITH: ReadonlySet<string> = new Set([
  ...Object.values(EXCHANGES),
  CONDITIONAL_TOKENS,
  NEG_RISK_ADAPTER,
  ...COLLATERAL_ADAPTERS,
  ...FEE_MODULES,
]);

/** True if the address is a contract of the venue with which accounts trade. */
export const isTradedWith = (address: string): boolean => TRADED_WITH.has(address);

/**
 * Returns the flows in the order of their transactions: of each one the net change of the account's collateral. Wrapping
 * one token as the other nets to zero, and a transaction that nets to zero has no flow.
 */
export function venueBFlows(transfers: readonly CollateralTransfer[], address: string): KnownFlow[] {
  const netOf = new Map<string, { readonly ts: number; units: bigint }>();
  for (const { txHash, ts, from, to, units } of transfers) {
    if (from === to || (from !== address && to !== address)) continue;
    if (isTradedWith(from === address ? to : from)) continue;
    const net = netOf.get(txHash) ?? { ts, units: 0n };
    net.units += to === address ? units : -units;
    netOf.set(txHash, net);
  }
  return [...netOf]
    .filter(([, { units }]) => units !== 0n)
    .map(([txHash, { ts, units }]) => ({
      ts,
      kind: units > 0n ? 'deposit' : 'withdraw',
      txHash,
      usd: decimalFromUnits(units, COLLATERAL_DECIMALS) as Decimal,
      problem: null,
    }));
}
