/** Schemas of fields that several commands have. REST validates with them too, so that errors name the same field. */
import { z } from 'zod';
import { ACCOUNT_PROVIDERS, BUILDER_DIGITS, type ProviderFamily } from '../../venues/accounts.ts';
import { SCOPES, type SecretHash, type Subscription } from './state.ts';
import { TEXT_MAX } from './text-max.ts';

/** Created by the node that sends the command. */
export const idSchema = z.string().regex(/^[\w-]{1,64}$/);
/** A lone half of a surrogate pair is no character, and strict JSON parsers refuse any document that contains one. */
const WELL_FORMED = /^[^\uD800-\uDFFF]*$/u;
const WELL_FORMED_NAME = /^[^\uD800-\uDFFF]+$/u;
const NOT_WELL_FORMED = 'must be well-formed Unicode';
/** A display name. */
export const nameSchema = z.string().min(1).max(TEXT_MAX).regex(WELL_FORMED_NAME, NOT_WELL_FORMED);
export const labelSchema = z.string().max(TEXT_MAX).regex(WELL_FORMED, NOT_WELL_FORMED);
export const scopesSchema = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);

/** The hash of a key's secret; the secret itself is never sent in a command. */
export const secretHashSchema: z.ZodType<SecretHash> = z.object({
  algorithm: z.literal('scrypt'),
  N: z.number().int(),
  r: z.number().int(),
  p: z.number().int(),
  salt: z.string(),
  hash: z.string(),
});

/** An EVM address in any case. */
export const addressSchema = z.string().regex(/^0[xX][0-9a-fA-F]{40}$/, 'must be 0x and 40 hex characters');

export const accountProviderSchema = z.enum(ACCOUNT_PROVIDERS);

const HEX = /^0x[0-9a-f]*$/;
const NO_BUILDER = /^0x0+$/;

/** The error of a lower-case builder, with the field's name; null if it is valid. */
export function builderError(provider: ProviderFamily, builder: string): string | null {
  const digits = BUILDER_DIGITS[provider];
  if (builder.length !== 2 + digits || !HEX.test(builder))
    return `builder: must be 0x and ${digits} hex characters for ${provider}`;
  return NO_BUILDER.test(builder) ? 'builder: must not be all zeros, which means no attribution' : null;
}

export const webhookUrlSchema = z.string().min(1).max(2_048);
export const SUBSCRIPTIONS_MAX = 100;
/** Bytes of a webhook's subscriptions as JSON; every result that contains them is stored under its `Idempotency-Key`. */
export const SUBSCRIPTIONS_BYTES_MAX = 32 * 1_024;
/** REST checks against the catalog that the event type exists and accepts the filters. */
export const subscriptionSchema = z.object({
  eventType: z.string().min(1).max(100).describe('An id of the event catalog.'),
  version: z.number().int().describe('Its version.'),
  filters: z.record(z.string(), z.unknown()).optional().describe('Only events with these values; left out for all.'),
});
export const subscriptionsSchema = z.array(subscriptionSchema).min(1).max(SUBSCRIPTIONS_MAX);

/** Levels of nesting of a filter; those of the catalog have one. Thousands of levels could not be serialized. */
const FILTER_LEVELS_MAX = 8;

/** The error of well-formed subscriptions that exceed a bound, without the field's name; null if there is none. */
export function subscriptionsError(subscriptions: readonly Subscription[]): string | null {
  if (subscriptions.some(({ filters }) => isDeeperThan(filters, FILTER_LEVELS_MAX)))
    return `must have filters of at most ${FILTER_LEVELS_MAX} levels`;
  if (Buffer.byteLength(JSON.stringify(subscriptions)) <= SUBSCRIPTIONS_BYTES_MAX) return null;
  return `must have at most ${SUBSCRIPTIONS_BYTES_MAX} bytes as JSON`;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1));
}

/** `whsec_` and base64 of 32 bytes (Standard Webhooks). */
export const signingSecretSchema = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/);
