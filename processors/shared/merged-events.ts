/** Which events are one, as the event topic tells it: what is told of one is told to whoever asked for another. */

/** Part of a stage's state; bounded by the events that are not past. */
export interface MergedEvents {
  /** Survivor of each merged event. */
  readonly survivors: Map<string, string>;
  /** Events merged into each survivor. */
  readonly absorbed: Map<string, string[]>;
}

export function createMergedEvents(): MergedEvents {
  return { survivors: new Map(), absorbed: new Map() };
}

/** Takes note of the event that an event was merged into; null for one that is on its own, or gone. */
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

/** An event and those that are one with it, the survivor first. */
export function audienceOf(state: MergedEvents, universalId: string): readonly string[] {
  const survivor = state.survivors.get(universalId) ?? universalId;
  return [survivor, ...(state.absorbed.get(survivor) ?? [])];
}
