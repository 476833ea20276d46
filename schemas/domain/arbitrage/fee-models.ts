/** The taker fees of the venues. A new venue needs a file in its folder and a line in `MODELS_OF_VENUES`. */
import { venueAOutcomeFee } from '../../venues/venue-a/outcome-fee.ts';
import { venueBFee } from '../../venues/venue-b/taker-fee.ts';
import type { Venue } from '../providers.ts';
import type { FeeModel } from './fee-model.ts';

/** Every current and former model of a venue's providers, in any order. Each provider of questions has one. */
const MODELS_OF_VENUES: Readonly<Record<Venue, readonly FeeModel[]>> = {
  venue_a: [venueAOutcomeFee],
  venue_b: [venueBFee],
};

/** Every current and former fee model, in any order. */
export const FEE_MODELS: readonly FeeModel[] = Object.values(MODELS_OF_VENUES).flat();

/** The fee models that are valid together, from one moment until the next `Fees`. */
export interface Fees {
  /** Event time, unix ms. */
  readonly since: number;
  /** By provider. The fees of a provider without a model are unknown, and never counted as zero. */
  readonly models: ReadonlyMap<string, FeeModel>;
}

/**
 * Returns the valid models from each moment at which a model starts, the earliest first. Throws if two of one provider
 * start together.
 */
export function feesOverTime(models: readonly FeeModel[]): readonly Fees[] {
  const moments = [...new Set([0, ...models.map(({ since }) => since)])].sort((a, b) => a - b);
  const current = new Map<string, FeeModel>();
  return moments.map((since) => {
    const starting = models.filter((model) => model.since === since);
    for (const model of starting) current.set(model.provider, model);
    if (new Set(starting.map(({ provider }) => provider)).size < starting.length)
      throw new Error(`two fee models of one provider start at ${since}`);
    return { since, models: new Map(current) };
  });
}
