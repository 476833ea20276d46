/** The neutral names of venues and their sub-providers, the only ones used in identifiers (specification, Conventions). */

/** Every venue that has an adapter. To add a venue, add its folders and its name here. */
export const VENUES = ['venue_a', 'venue_b'] as const;
export type Venue = (typeof VENUES)[number];

/** Values of `provider` in records: a venue, or a sub-provider of `venue_a`. */
export const PROVIDERS = ['venue_a_perp', 'venue_a_outcome', 'venue_a_dex', 'venue_b', 'venue_c'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Providers whose books and trades are about assets, never about questions. */
export const PRICE_PROVIDERS: ReadonlySet<string> = new Set<Provider>(['venue_a_perp', 'venue_a_dex']);

/** Key of a market, unique across all venues. */
export function marketKey(provider: string, marketId: string): string {
  return `${provider}|${marketId}`;
}
