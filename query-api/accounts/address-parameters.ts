/** The parameters that name accounts of any owner, the same on every route about accounts (specification, Portfolio). */
import { z } from 'zod';
import { addressSchema } from '#schemas/domain/control/fields';
import { ApiError } from '#schemas/errors';
import { PROVIDER_FAMILIES, type ProviderFamily } from '#schemas/venues/accounts';

const address = addressSchema.transform((text) => text.toLowerCase());
const FAMILIES: readonly string[] = PROVIDER_FAMILIES;

function parseProviders(text: string): ProviderFamily[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !FAMILIES.includes(name));
  if (unknown.length > 0)
    throw new ApiError('unknown_provider', `provider: ${unknown.map((name) => JSON.stringify(name)).join(', ')}`);
  return names as ProviderFamily[];
}

const ONE = `(${FAMILIES.join('|')})`;
const providerList = z
  .string()
  .transform((text) => [...new Set(parseProviders(text))])
  .meta({ pattern: `^${ONE}(,${ONE})*$`, description: `Comma-separated: ${FAMILIES.join(', ')}; all by default.` });

const oneProvider = z
  .string()
  .transform((text) => {
    const providers = parseProviders(text);
    if (providers.length > 1) throw new ApiError('validation_failed', 'provider: must be a single provider');
    return providers;
  })
  .meta({ pattern: `^${ONE}$`, description: `${FAMILIES.join(' or ')}; all by default.` });

/** Names of the addresses of single venues. */
const OVERRIDES = { venue_a: 'venueAUser', venue_b: 'venueBUser' } as const;

export const addressParameters = {
  user: address.describe('The address on every venue without one of its own.').optional(),
  venueAUser: address.describe('The address on venue_a; `user` by default.').optional(),
  venueBUser: address.describe('The address on venue_b; `user` by default.').optional(),
  provider: providerList.optional(),
};

/** The same for routes that accept a single provider. */
export const oneProviderParameters = { ...addressParameters, provider: oneProvider.optional() };

export interface AccountQuery {
  readonly user?: string | undefined;
  readonly venueAUser?: string | undefined;
  readonly venueBUser?: string | undefined;
  readonly provider?: readonly ProviderFamily[] | undefined;
}

export interface NamedAccount {
  readonly provider: ProviderFamily;
  /** In lower case. */
  readonly address: string;
}

/** The account of each requested venue. Throws an `ApiError` that names `user` if a venue has no address. */
export function accountsOf(query: AccountQuery): NamedAccount[] {
  return (query.provider ?? PROVIDER_FAMILIES).map((provider) => {
    const named = query[OVERRIDES[provider]] ?? query.user;
    if (named === undefined)
      throw new ApiError('validation_failed', `user: is required, or ${OVERRIDES[provider]} for ${provider}`);
    return { provider, address: named };
  });
}
