import type { FeeModel } from './fee-model.ts';
import { venueAOutcomeFee } from './venue-a-outcome.ts';
import { venueBFee } from './venue-b.ts';

/** Every fee model that holds or held, in any order. */
export const FEE_MODELS: readonly FeeModel[] = [venueAOutcomeFee, venueBFee];

/** The fee models that hold together, from one moment until the next `Fees`. */
export interface Fees {
  /** Pipeline time, unix ms. */
  readonly since: number;
  /** By provider. One without a model has fees that are not known, which are never taken for zero. */
  readonly models: ReadonlyMap<string, FeeModel>;
}

/** What holds from each moment at which some model begins, the first first. Throws for two of one provider and moment. */
export function feesOverTime(models: readonly FeeModel[]): readonly Fees[] {
  const moments = [...new Set([0, ...models.map(({ since }) => since)])].sort((a, b) => a - b);
  const current = new Map<string, FeeModel>();
  return moments.map((since) => {
    const starting = models.filter((model) => model.since === since);
    for (const model of starting) current.set(model.provider, model);
    if (new Set(starting.map(({ provider }) => provider)).size < starting.length)
      throw new Error(`two fee models of one provider begin at ${since}`);
    return { since, models: new Map(current) };
  });
}
