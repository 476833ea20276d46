/** The fields that several commands take. REST checks with the same, so that a refusal names the same field. */
import { z } from 'zod';
import { type ProviderFamily, SCOPES, type SecretHash, type Subscription, type WalletProvider } from './state.ts';

export const TEXT_MAX = 200;

/** Made by the node that asks. */
export const idSchema = z.string().regex(/^[\w-]{1,64}$/);
/** Half of a surrogate pair alone is no character, and strict readers of JSON refuse all that it stands in. */
const WELL_FORMED = /^[^\uD800-\uDFFF]*$/u;
const WELL_FORMED_NAME = /^[^\uD800-\uDFFF]+$/u;
const NOT_WELL_FORMED = 'must be well-formed Unicode';
/** What a person calls something. */
export const nameSchema = z.string().min(1).max(TEXT_MAX).regex(WELL_FORMED_NAME, NOT_WELL_FORMED);
export const labelSchema = z.string().max(TEXT_MAX).regex(WELL_FORMED, NOT_WELL_FORMED);
export const scopesSchema = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);

/** The hash of a key's secret; the secret itself never comes here. */
export const secretHashSchema: z.ZodType<SecretHash> = z.object({
  algorithm: z.literal('scrypt'),
  N: z.number().int(),
  r: z.number().int(),
  p: z.number().int(),
  salt: z.string(),
  hash: z.string(),
});

/** An EVM address in any case. */
export const addressSchema = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex characters');

/** What clients may call a provider of wallets and attributions. */
export const ACCOUNT_PROVIDERS = ['venue_a', 'venue_b', 'venue_a_perp', 'venue_a_outcome', 'venue_a_dex'] as const;
export type AccountProvider = (typeof ACCOUNT_PROVIDERS)[number];
export const accountProviderSchema = z.enum(ACCOUNT_PROVIDERS);

/** As a binding stores it: the family name stands for `venue_a_perp`. */
export function walletProvider(provider: AccountProvider): WalletProvider {
  return provider === 'venue_a' ? 'venue_a_perp' : provider;
}

/** As an attribution stores it. */
export function providerFamily(provider: AccountProvider): ProviderFamily {
  return provider === 'venue_b' ? 'venue_b' : 'venue_a';
}

const BUILDER = { venue_a: /^0x[0-9a-f]{40}$/, venue_b: /^0x[0-9a-f]{64}$/ } as const;
const NO_BUILDER = /^0x0+$/;

/** What is wrong with a builder in lower case, naming the field; null when nothing is. */
export function builderFault(provider: ProviderFamily, builder: string): string | null {
  if (!BUILDER[provider].test(builder))
    return `builder: must be 0x and ${provider === 'venue_a' ? 40 : 64} hex characters for ${provider}`;
  return NO_BUILDER.test(builder) ? 'builder: all zeros means no attribution' : null;
}

export const webhookUrlSchema = z.string().min(1).max(2_048);
export const SUBSCRIPTIONS_MAX = 100;
/** Bytes of a webhook's subscriptions as JSON: every row that tells them is kept under an `Idempotency-Key`. */
export const SUBSCRIPTIONS_BYTES_MAX = 32 * 1_024;
/** Whether the event type exists and takes such filters is a matter of the catalog, checked by REST. */
export const subscriptionSchema = z.object({
  eventType: z.string().min(1).max(100),
  version: z.number().int(),
  filters: z.record(z.string(), z.unknown()).optional(),
});
export const subscriptionsSchema = z.array(subscriptionSchema).min(1).max(SUBSCRIPTIONS_MAX);

/** Levels of a filter; those of the catalog have one. Beyond some thousands no text can be made of it. */
const FILTER_LEVELS_MAX = 8;

/** What is wrong with the subscriptions of a webhook that are of good shape each; null when nothing is. */
export function subscriptionsFault(subscriptions: readonly Subscription[]): string | null {
  if (subscriptions.some(({ filters }) => isDeeperThan(filters, FILTER_LEVELS_MAX)))
    return 'filters are nested too deeply';
  if (Buffer.byteLength(JSON.stringify(subscriptions)) <= SUBSCRIPTIONS_BYTES_MAX) return null;
  return `must have at most ${SUBSCRIPTIONS_BYTES_MAX} bytes as JSON`;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1));
}

/** `whsec_` and base64 of 32 bytes (Standard Webhooks). */
export const signingSecretSchema = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/);
