/** Resolutions of the stored blocks, which are emitted again when their block is confirmed or dropped. */
import type { Emit } from '#infra/stages/stage';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { type CatalogMarkets, patchesOf } from './catalog-state.ts';
import { marketRecord } from './market-patch.ts';

/** Resolutions by id. */
export type EmittedResolutions = Map<string, Resolution>;

export function emitResolution(resolutions: EmittedResolutions, resolution: Resolution, emit: Emit): void {
  resolutions.set(resolution.id, resolution);
  emit(resolutionTopics.venue_b, resolution.marketId, resolution);
}

/**
 * Emits the resolution of a block again with another status, and with the deadline if the catalog has it by now. A
 * reverted resolution is removed.
 */
export function updateResolutionStatus(
  resolutions: EmittedResolutions,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  catalog: CatalogMarkets,
  emit: Emit,
): void {
  const known = resolutions.get(id);
  if (known?.blockHash !== blockHash || known.status === status) return;
  const endTime = known.endTime ?? endTimeOf(catalog, known.marketId);
  const next: Resolution = { ...known, endTime, status };
  if (status === 'reverted') resolutions.delete(id);
  else resolutions.set(id, next);
  emit(resolutionTopics.venue_b, next.marketId, next);
}

/** Returns the market's own deadline, unix ms; null where the catalog does not state it. */
export function endTimeOf(catalog: CatalogMarkets, marketId: string): number | null {
  const patches = patchesOf(catalog, marketId);
  return patches ? marketRecord(marketId, patches).endTime : null;
}
