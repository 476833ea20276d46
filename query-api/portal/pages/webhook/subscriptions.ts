/** Which subscriptions a webhook has after its event types were chosen; pure. */
import type { Subscription } from './shapes.tsx';

/** What the form needs to know of an entry of the catalog. */
export interface CatalogType {
  readonly type: string;
  readonly version: number;
}

/**
 * Keeps every stored subscription whose event type is chosen or has no box in the form, and adds one without filters
 * for each further chosen type.
 */
export function subscriptionsOf(
  catalog: readonly CatalogType[],
  chosen: ReadonlySet<string>,
  stored: readonly Subscription[],
): Subscription[] {
  const listed = new Set(catalog.map(({ type }) => type));
  const storedTypes = new Set(stored.map(({ eventType }) => eventType));
  const kept = stored.filter(({ eventType }) => chosen.has(eventType) || !listed.has(eventType));
  const added = catalog.filter(({ type }) => chosen.has(type) && !storedTypes.has(type));
  return [...kept, ...added.map(({ type, version }) => ({ eventType: type, version, filters: {} }))];
}
