/** Resolutions of the blocks kept, which are told again when their block is confirmed or dropped. */
import type { Emit } from '#infra/stages/stage';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { type MarketsTold, tellingsOf } from './catalog-state.ts';
import { marketRecord } from './market-telling.ts';

/** By id. */
export type ToldResolutions = Map<string, Resolution>;

export function tellResolution(told: ToldResolutions, resolution: Resolution, emit: Emit): void {
  told.set(resolution.id, resolution);
  emit(resolutionTopics.venue_b, resolution.marketId, resolution);
}

/**
 * Tells the resolution that a block holds again with another status, and with the deadline where the catalog has come
 * to know it. A reverted one is forgotten.
 */
export function retellResolution(
  told: ToldResolutions,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  catalog: MarketsTold,
  emit: Emit,
): void {
  const known = told.get(id);
  if (known?.blockHash !== blockHash || known.status === status) return;
  const endTime = known.endTime ?? endTimeOf(catalog, known.marketId);
  const next: Resolution = { ...known, endTime, status };
  if (status === 'reverted') told.delete(id);
  else told.set(id, next);
  emit(resolutionTopics.venue_b, next.marketId, next);
}

/** The market's own deadline, unix ms; null where the catalog does not tell it. */
export function endTimeOf(catalog: MarketsTold, marketId: string): number | null {
  const tellings = tellingsOf(catalog, marketId);
  return tellings ? marketRecord(marketId, tellings).endTime : null;
}
