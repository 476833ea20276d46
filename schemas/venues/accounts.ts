/** The venues whose wallets and builders can be registered, and their providers. */
import { DECLARATIONS, type Declaration } from './index.ts';

type WithAccounts = Extract<Declaration, { readonly accounts: unknown }>;

/** A venue whose builders can be attributed. */
export type ProviderFamily = WithAccounts['venue'];
/** Value of `provider` in a stored binding. */
export type WalletProvider = WithAccounts['providers'][number]['provider'];
/** A name that clients may use for a provider of wallets and attributions. */
export type AccountProvider = ProviderFamily | WalletProvider;

const venues = DECLARATIONS.flatMap(({ venue, providers, accounts }) =>
  accounts
    ? [{ family: venue as ProviderFamily, providers: providers.map(({ provider }) => provider), ...accounts }]
    : [],
);

export const PROVIDER_FAMILIES = venues.map(({ family }) => family);
export const WALLET_PROVIDERS = venues.flatMap(({ providers }) => providers as WalletProvider[]);
export const ACCOUNT_PROVIDERS: readonly AccountProvider[] = [...new Set([...PROVIDER_FAMILIES, ...WALLET_PROVIDERS])];

/** Hex characters of a builder after `0x`. */
export const BUILDER_DIGITS = Object.fromEntries(
  venues.map(({ family, builderDigits }) => [family, builderDigits]),
) as Record<ProviderFamily, number>;

const byName = new Map(venues.flatMap((venue) => [venue.family, ...venue.providers].map((name) => [name, venue])));

/** The venue of an account provider. */
export function providerFamily(provider: AccountProvider): ProviderFamily {
  return byName.get(provider)!.family;
}

/** The providers of a venue. */
export function providersOf(family: ProviderFamily): readonly WalletProvider[] {
  return byName.get(family)!.providers as WalletProvider[];
}

/** The provider that a binding stores: a venue becomes its `walletProvider`. */
export function walletProvider(provider: AccountProvider): WalletProvider {
  const { family, walletProvider: ofVenue } = byName.get(provider)!;
  return (provider === family ? ofVenue : provider) as WalletProvider;
}

/** An account as topics and tables name it. */
export function accountName(family: ProviderFamily, address: string): string {
  return `${family}:${address}`;
}

/** True if a binding covers the provider. One of a venue's `walletProvider` covers its other providers too. */
export function covers(bound: WalletProvider, provider: string): boolean {
  return bound === provider || bound === byName.get(provider)?.walletProvider;
}
