/** Tracks merged events from the event topic: subscribers of a merged event get the records of its survivor. */

/** Part of a stage's state; bounded by the events that are not archived. */
export interface MergedEvents {
  /** Survivor of each merged event. */
  readonly survivors: Map<string, string>;
  /** Events merged into each survivor. */
  readonly absorbed: Map<string, string[]>;
}

export function createMergedEvents(): MergedEvents {
  return { survivors: new Map(), absorbed: new Map() };
}

/** Records the event that an event was merged into; null for one that is not merged, or that was removed. */
export function setSurvivor(state: MergedEvents, universalId: string, survivor: string | null): void {
  const before = state.survivors.get(universalId) ?? null;
  if (before === survivor) return;
  if (before !== null) {
    const rest = (state.absorbed.get(before) ?? []).filter((id) => id !== universalId);
    if (rest.length > 0) state.absorbed.set(before, rest);
    else state.absorbed.delete(before);
    state.survivors.delete(universalId);
  }
  if (survivor === null) return;
  state.survivors.set(universalId, survivor);
  state.absorbed.set(survivor, [...(state.absorbed.get(survivor) ?? []), universalId]);
}

/** Returns an event and the events merged with it, the survivor first. */
export function audienceOf(state: MergedEvents, universalId: string): readonly string[] {
  const survivor = state.survivors.get(universalId) ?? universalId;
  return [survivor, ...(state.absorbed.get(survivor) ?? [])];
}
