/** The fields that several commands take. REST checks with the same, so that a refusal names the same field. */
import { z } from 'zod';
import { type ProviderFamily, SCOPES, type SecretHash, type WalletProvider } from './state.ts';

const TEXT_MAX = 200;

/** Made by the node that asks. */
export const idSchema = z.string().regex(/^[\w-]{1,64}$/);
/** What a person calls something. */
export const nameSchema = z.string().min(1).max(TEXT_MAX);
export const labelSchema = z.string().max(TEXT_MAX);
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
/** Whether the event type exists and takes such filters is a matter of the catalog, checked by REST. */
export const subscriptionsSchema = z
  .array(
    z.object({
      eventType: z.string().min(1).max(100),
      version: z.number().int(),
      filters: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .min(1)
  .max(100);
/** `whsec_` and base64 of 32 bytes (Standard Webhooks). */
export const signingSecretSchema = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/);
