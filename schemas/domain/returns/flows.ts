/** What crossed the border of an account, so that it is neither profit nor loss. */
import { type Decimal, ZERO } from '../decimal.ts';

/** Why the amount of a flow is not known: it has no price, or the venue reported something whose meaning is unknown. */
export const FLOW_PROBLEMS = ['flow_unpriced', 'flows_unknown'] as const;
export type FlowProblem = (typeof FLOW_PROBLEMS)[number];

interface FlowBase {
  /** The venue's time, ms. */
  readonly ts: number;
  /** What happened: the venue's own name of it, or `deposit` and `withdraw` on chain. */
  readonly kind: string;
  readonly txHash: string | null;
}

export interface KnownFlow extends FlowBase {
  /** Positive when value came into the account. */
  readonly usd: Decimal;
  readonly problem: null;
}

export interface UnknownFlow extends FlowBase {
  readonly usd: null;
  readonly problem: FlowProblem;
}

export type Flow = KnownFlow | UnknownFlow;

/** The one list of flows of an account. */
export interface FlowHistory {
  /** Ascending by time. */
  readonly flows: readonly Flow[];
  /** All flows after this time are in the list, ms; minus infinity if the list is complete from the start. */
  readonly knownFrom: number;
  /** All flows up to this time are in the list, ms. */
  readonly knownThrough: number;
}

export type FlowsOfWindow =
  | { readonly flows: readonly KnownFlow[]; readonly problem: null }
  | { readonly flows: null; readonly problem: FlowProblem };

/** Returns the flows after `after`, up to and including `through`; the reason if one of them is not known. */
export function flowsBetween(history: FlowHistory, after: number, through: number): FlowsOfWindow {
  if (after < history.knownFrom || through > history.knownThrough) return { flows: null, problem: 'flows_unknown' };
  const flows: KnownFlow[] = [];
  let problem: FlowProblem | null = null;
  for (const flow of history.flows) {
    if (flow.ts <= after || flow.ts > through) continue;
    if (flow.usd !== null) flows.push(flow);
    // A flow of unknown meaning weighs more than one without a price.
    else if (problem !== 'flows_unknown') problem = flow.problem;
  }
  return problem === null ? { flows, problem } : { flows: null, problem };
}

export function sumOfFlows(flows: readonly KnownFlow[]): Decimal {
  return flows.reduce((sum, { usd }) => (sum + usd) as Decimal, ZERO);
}
