/**
 * Which resolution of an event counts as landed: the first one of each provider (contract, Markets, Settlement record).
 * A reversal takes it back; then the next one that stands lands, or the same one again when it is included again.
 */
import type { MarketSide } from '#schemas/domain/event-outcome';
import { PROVIDERS } from '#schemas/domain/providers';
import type { Resolution } from '#schemas/topics/oracle';
import { dropOldest } from './drop-oldest.ts';

/** A landed resolution that may still be taken back. */
interface Unsure {
  readonly universalId: string;
  readonly provider: string;
  /** How its market stood to the event when it landed: what takes it back tells the same outcome. */
  readonly side: MarketSide;
  readonly reverted: boolean;
}

/** Part of a stage's state. */
export interface Landings {
  /** Id of the resolution that stands, by `universalId|provider`; bounded by the events that are not past. */
  readonly landed: Map<string, Resolution['id']>;
  /** By resolution id, the oldest first; `UNSURE_MAX` at most. */
  readonly unsure: Map<Resolution['id'], Unsure>;
  /** Later resolutions of the provider while the landed one is unsure, by `universalId|provider`. */
  readonly next: Map<string, readonly Resolution[]>;
}

/** A resolution to tell to an event: that it landed, or that it is taken back. */
export interface LandingNews {
  readonly universalId: string;
  readonly resolution: Resolution;
  readonly side: MarketSide;
}

/** How the market of a resolution stands to its event by now. */
export type SideOf = (resolution: Resolution) => MarketSide;

/** Resolutions that are remembered until they are confirmed: those of some minutes, but for reverted ones. */
export const UNSURE_MAX = 10_000;

export function createLandings(): Landings {
  return { landed: new Map(), unsure: new Map(), next: new Map() };
}

/** Whether a resolution has landed and may still be taken back, whatever has become of its market's event since. */
export function mayBeTakenBack(state: Landings, id: Resolution['id']): boolean {
  return state.unsure.get(id)?.reverted === false;
}

/**
 * Takes a telling of a resolution of a market that asks its event's question; `audience` is the event and those that are
 * one with it. Gives what there is to tell, in order.
 */
export function followResolution(
  state: Landings,
  resolution: Resolution,
  audience: readonly string[],
  sideOf: SideOf,
): readonly LandingNews[] {
  const { id, provider, status } = resolution;
  const unsure = state.unsure.get(id);
  if (status === 'reverted')
    return unsure && !unsure.reverted ? takeBack(state, resolution, unsure, sideOf) : drop(state, resolution, audience);
  if (unsure && !unsure.reverted) {
    if (status === 'confirmed') confirmLanding(state, id, unsure);
    return [];
  }
  const key = audience.map((event) => keyOf(event, provider)).find((one) => state.landed.has(one));
  if (key === undefined) return [land(state, resolution, audience[0]!, sideOf)];
  const standing = state.landed.get(key)!;
  // A landed one that was confirmed stays, so that nothing comes after it.
  if (standing !== id && state.unsure.has(standing)) putNext(state, key, resolution);
  return [];
}

function land(state: Landings, resolution: Resolution, universalId: string, sideOf: SideOf): LandingNews {
  const { id, provider, status } = resolution;
  const side = sideOf(resolution);
  state.landed.set(keyOf(universalId, provider), id);
  state.unsure.delete(id);
  if (status === 'pending') remember(state, id, { universalId, provider, side, reverted: false });
  return { universalId, resolution, side };
}

function takeBack(state: Landings, resolution: Resolution, unsure: Unsure, sideOf: SideOf): LandingNews[] {
  const { universalId, provider, side } = unsure;
  const key = keyOf(universalId, provider);
  state.landed.delete(key);
  remember(state, resolution.id, { ...unsure, reverted: true });
  const takenBack: LandingNews = { universalId, resolution, side };
  const [first, ...others] = state.next.get(key) ?? [];
  state.next.delete(key);
  if (first === undefined) return [takenBack];
  const landed = land(state, first, universalId, sideOf);
  if (others.length > 0 && first.status === 'pending') state.next.set(key, others);
  return [takenBack, landed];
}

/** It is sure now, and so is that no other one lands. */
function confirmLanding(state: Landings, id: Resolution['id'], { universalId, provider }: Unsure): void {
  state.unsure.delete(id);
  state.next.delete(keyOf(universalId, provider));
}

function putNext(state: Landings, key: string, resolution: Resolution): void {
  const next = state.next.get(key) ?? [];
  const at = next.findIndex(({ id }) => id === resolution.id);
  state.next.set(key, at < 0 ? [...next, resolution] : next.with(at, resolution));
}

/** Takes out the resolutions that would land next and are of markets which do not ask their event's question any more. */
export function withdrawNext(state: Landings, isOut: (resolution: Resolution) => boolean): Resolution[] {
  const out: Resolution[] = [];
  for (const [key, next] of state.next) {
    const rest = next.filter((resolution) => !isOut(resolution));
    if (rest.length === next.length) continue;
    out.push(...next.filter(isOut));
    if (rest.length > 0) state.next.set(key, rest);
    else state.next.delete(key);
  }
  return out;
}

/** Forgets what landed on an event that is past. A reversal that comes yet is told all the same. */
export function forgetLandings(state: Landings, universalId: string): void {
  for (const provider of PROVIDERS) {
    state.landed.delete(keyOf(universalId, provider));
    state.next.delete(keyOf(universalId, provider));
  }
}

/** One that never landed is gone without a word. */
function drop(state: Landings, { id, provider }: Resolution, audience: readonly string[]): LandingNews[] {
  for (const event of audience) {
    const key = keyOf(event, provider);
    const rest = state.next.get(key)?.filter((one) => one.id !== id);
    if (rest?.length === 0) state.next.delete(key);
    else if (rest) state.next.set(key, rest);
  }
  return [];
}

function remember(state: Landings, id: Resolution['id'], unsure: Unsure): void {
  state.unsure.delete(id);
  state.unsure.set(id, unsure);
  dropOldest(state.unsure, UNSURE_MAX, { drop: (oldest) => confirmLanding(state, oldest, state.unsure.get(oldest)!) });
}

function keyOf(universalId: string, provider: string): string {
  return `${universalId}|${provider}`;
}
