/** The steps of the oracle for each market, as a timeline; pure. */

/** A proposal, a dispute or a settlement on the chain. */
export interface OracleStep {
  readonly marketId: string | null;
  readonly ts: string;
}

export interface Timeline<Step> {
  /** Null for questions that are not tied to a market yet. */
  readonly marketId: string | null;
  readonly steps: readonly {
    readonly step: Step;
    /** Time since the step before, ms; null for the first one. */
    readonly afterMs: number | null;
  }[];
}

/** A timeline for each market, in the order of its first step. @param steps oldest first, as the route returns them. */
export function timelinesOf<Step extends OracleStep>(steps: readonly Step[]): Timeline<Step>[] {
  const markets = [...new Set(steps.map(({ marketId }) => marketId))];
  return markets.map((marketId) => {
    const own = steps.filter((step) => step.marketId === marketId);
    const afterMs = (at: number) => (at === 0 ? null : Date.parse(own[at]!.ts) - Date.parse(own[at - 1]!.ts));
    return { marketId, steps: own.map((step, at) => ({ step, afterMs: afterMs(at) })) };
  });
}
