/** The neutral names of venues and providers, the only ones used in identifiers (specification, Conventions). */
import { DECLARATIONS, type Declaration } from '../venues/index.ts';
import type { ProviderDeclaration } from '../venues/venue.ts';

type DeclaredProvider = Declaration['providers'][number];
type WithPrices<D> = D extends { readonly venue: infer V; readonly providers: readonly (infer P)[] }
  ? Extract<P, { readonly kind: 'price' }> extends never
    ? never
    : V
  : never;

/** A venue with an adapter: one that declares streams. */
export type Venue = Extract<Declaration, { readonly streams: unknown }>['venue'];
export const VENUES = DECLARATIONS.filter(({ streams }) => streams).map(({ venue }) => venue as Venue);

/** A venue with a provider of prices. */
export type PriceVenue = WithPrices<Declaration> & Venue;
export const PRICE_VENUES = DECLARATIONS.filter(
  ({ streams, providers }) => streams && providers.some(({ kind }) => kind === 'price'),
).map(({ venue }) => venue as PriceVenue);

/** For each venue the declared function that returns true if an instrument is an outcome of a question, not an asset. */
export const isQuestionInstrument = Object.fromEntries(
  DECLARATIONS.map(({ venue, isQuestionInstrument: isQuestion }) => [venue, isQuestion]),
) as Record<Venue, (instrument: string) => boolean>;

/** Value of `provider` in records: a venue, or a part of one. */
export type Provider = DeclaredProvider['provider'];
export const PROVIDERS = providersWith(() => true) as readonly Provider[];

/** Providers whose books and trades are about assets, never about questions. */
export const PRICE_PROVIDERS: ReadonlySet<string> = new Set(providersWith(({ kind }) => kind === 'price'));

const QUESTION_VENUES = DECLARATIONS.filter(({ streams }) => streams).map(({ venue, providers }) => ({
  venue,
  providers: providers.filter(({ kind }: ProviderDeclaration) => kind === 'question').map(({ provider }) => provider),
}));

/** Providers whose markets are questions. */
export const QUESTION_PROVIDERS: readonly string[] = QUESTION_VENUES.flatMap(({ providers }) => providers);

/** What selects markets of questions in a request: a provider, or a venue for all of its providers. */
export const QUESTION_SELECTORS = [
  ...new Set<string>(QUESTION_VENUES.flatMap(({ venue, providers }) => [...providers, venue])),
];

/** True if a selector selects a provider. */
export function selectsProvider(selector: string, provider: string): boolean {
  const ofVenue: readonly string[] = QUESTION_VENUES.find(({ venue }) => venue === selector)?.providers ?? [];
  return selector === provider || ofVenue.includes(provider);
}

/** Providers whose instruments are tokens. */
export const TOKEN_PROVIDERS: ReadonlySet<string> = new Set(providersWith(({ instrument }) => instrument === 'token'));

/** Providers whose trades have a channel of their own. */
export type TradeChannelProvider = Extract<DeclaredProvider, { readonly tradeChannel: true }>['provider'];
export const TRADE_CHANNEL_PROVIDERS = providersWith(
  ({ tradeChannel }) => tradeChannel,
) as readonly TradeChannelProvider[];

/** Those of them on whose channels trades are sent today. */
export const TRADE_STREAM_PROVIDERS = providersWith(({ capabilities }) =>
  capabilities.includes('stream.trades'),
) as readonly TradeChannelProvider[];

/** Key of a market, unique across all venues. */
export function marketKey(provider: string, marketId: string): string {
  return `${provider}|${marketId}`;
}

/** Names of the declared providers that fulfil a condition, in the order of their declaration. */
function providersWith(isWanted: (provider: ProviderDeclaration) => boolean): string[] {
  return DECLARATIONS.flatMap(({ providers }) => providers.filter(isWanted).map(({ provider }) => provider));
}
