import type { FeeModel } from './fee-model.ts';
import { venueAOutcomeFee } from './venue-a-outcome.ts';
import { venueBFee } from './venue-b.ts';

const FEE_MODELS: readonly FeeModel[] = [venueAOutcomeFee, venueBFee];

/** The fee model of a provider, or null: a fee that is not known is never taken for zero. */
export function feeModelOf(provider: string): FeeModel | null {
  return FEE_MODELS.find((model) => model.provider === provider) ?? null;
}
