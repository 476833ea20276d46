/** Computes the subscriptions of a webhook from its filled-in form; pure. */
import type { Subscription } from './shapes.tsx';

/** A filter of an event type: a list of values, of which an event must have one. */
export interface FilterField {
  readonly name: string;
  /** The values that exist; null for any text. */
  readonly values: readonly string[] | null;
}

/** An entry of the catalog, with the JSON Schema of its filters. */
export interface CatalogType {
  readonly type: string;
  readonly version: number;
  readonly filters: FilterSchema;
}

interface FilterSchema {
  readonly properties?: Readonly<
    Record<string, { readonly type?: string; readonly items?: { readonly enum?: readonly string[] } }>
  >;
}

/** The filters of an event type that are lists, which are all that the catalog has. */
export function filterFields({ properties = {} }: FilterSchema): FilterField[] {
  return Object.entries(properties).flatMap(([name, { type, items }]) =>
    type === 'array' ? [{ name, values: items?.enum ?? null }] : [],
  );
}

/** What the form shows one part for each of: the stored subscriptions of a type, or a new one without filters. */
export function candidatesOf({ type, version }: CatalogType, stored: readonly Subscription[]): Subscription[] {
  const own = stored.filter(({ eventType }) => eventType === type);
  return own.length > 0 ? own : [{ eventType: type, version, filters: {} }];
}

/** The values of a filter as a text; empty without it. */
export function filterText({ filters = {} }: Subscription, field: string): string {
  const values = filters[field];
  return Array.isArray(values) ? values.join(', ') : '';
}

/** The values in a text, separated by commas or spaces. */
export function valuesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((value) => value !== '');
}

/**
 * Keeps every stored subscription whose event type is chosen or has no box in the form, and adds one for each further
 * chosen type. Filters without a field in the form stay as they were.
 *
 * @param valuesOf returns what was filled in for the filter of a candidate; an empty list means no filter.
 */
export function subscriptionsOf(
  catalog: readonly CatalogType[],
  chosen: ReadonlySet<string>,
  stored: readonly Subscription[],
  valuesOf: (type: string, candidate: number, field: FilterField) => readonly string[],
): Subscription[] {
  const listed = new Set(catalog.map(({ type }) => type));
  const unlisted = stored.filter(({ eventType }) => !listed.has(eventType));
  const filledIn = catalog
    .filter(({ type }) => chosen.has(type))
    .flatMap((entry) =>
      candidatesOf(entry, stored).map((candidate, index) => {
        const filters: Record<string, unknown> = { ...candidate.filters };
        for (const field of filterFields(entry.filters)) {
          const values = valuesOf(entry.type, index, field);
          if (values.length > 0) filters[field.name] = values;
          else delete filters[field.name];
        }
        return { ...candidate, filters };
      }),
    );
  return [...unlisted, ...filledIn];
}
