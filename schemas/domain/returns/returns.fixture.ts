/** Short forms for tests: figures as texts. */
import { type Decimal, formatDecimal, parseDecimal } from '../decimal.ts';
import type { Flow, FlowHistory, FlowProblem } from './flows.ts';
import type { CurvePoint } from './series.ts';

export const ADDRESS = '0x2ba553d9f990a3b66b03b2dc0d030dfc1c061036';
export const OTHER = '0xaaa0c2769cb990f4f37db951a9e48de2385c2733';

export function flow(ts: number, usd: string | FlowProblem): Flow {
  const base = { ts, kind: 'deposit', txHash: `0x${ts}` };
  return usd === 'flow_unpriced' || usd === 'flows_unknown'
    ? { ...base, usd: null, problem: usd }
    : { ...base, usd: parseDecimal(usd), problem: null };
}

/** A list of all flows of an account. */
export function allFlows(...flows: readonly Flow[]): FlowHistory {
  return { flows, knownFrom: Number.NEGATIVE_INFINITY, knownThrough: Number.POSITIVE_INFINITY };
}

export const textOrNull = (value: Decimal | null): string | null => (value === null ? null : formatDecimal(value));

export function curvePoint(t: number, nav: string | null, netDeposits: string | null, pnl: string): CurvePoint {
  const parsed = (text: string | null) => (text === null ? null : parseDecimal(text));
  return { t, nav: parsed(nav), netDeposits: parsed(netDeposits), pnl: parseDecimal(pnl) };
}

export const readablePoint = ({ t, nav, netDeposits, pnl }: CurvePoint) =>
  [t, textOrNull(nav), textOrNull(netDeposits), formatDecimal(pnl)] as const;
