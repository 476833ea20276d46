/** Request and response schemas of webhooks (contract, Webhooks). */
import { z } from 'zod';
import { SUBSCRIPTIONS_MAX, subscriptionSchema, subscriptionsError } from '#schemas/domain/control/fields';
import { webhookOf } from '#schemas/domain/control/lookups';
import type { Owner } from '#schemas/domain/control/owner';
import type { ControlState, Webhook } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { createdAtField } from '#schemas/http/fields';
import { isoTimeSchema } from '#schemas/http/scalars';
import { subscriptionFaults } from './subscription-faults.ts';

/**
 * Subscriptions, validated against the catalog. The schema is strict because a misspelt `filters` would be ignored, and
 * the webhook would receive more than intended.
 */
export const checkedSubscriptionsSchema = z
  .array(
    subscriptionSchema.strict().superRefine((subscription, context) => {
      for (const { path, message } of subscriptionFaults(subscription))
        context.addIssue({ code: 'custom', path: [...path], message });
    }),
  )
  .min(1)
  .max(SUBSCRIPTIONS_MAX)
  .superRefine((subscriptions, context) => {
    const message = subscriptionsError(subscriptions);
    if (message) context.addIssue({ code: 'custom', message });
  });

const fields = {
  id: z.string().describe('The id of the webhook.'),
  url: z.string().describe('Where it delivers to.'),
  subscriptions: z.array(subscriptionSchema).readonly().describe('What it delivers.'),
  enabled: z.boolean().describe('False while nothing is sent.'),
  disabledReason: z
    .enum(['manual', 'gone', 'failing'])
    .nullable()
    .describe(
      '`manual` after a PATCH, `gone` after a 410, `failing` after the last attempt; null while it is enabled.',
    ),
  createdAt: createdAtField,
  updatedAt: isoTimeSchema.describe('When it was last changed.'),
};

export const webhookSchema = z.object(fields).meta({ id: 'Webhook' });

/** A webhook with its new secret. */
export const webhookWithSecretSchema = z.object({
  ...fields,
  secret: z
    .string()
    .nullable()
    .describe('`whsec_` and base64 of 32 bytes. Returned once; null in a replayed response.'),
});

/** Finds a webhook of the owner. Throws the same 404 for a webhook of another owner as for an unknown id. */
export function findWebhook(state: ControlState, owner: Owner, id: string): Webhook {
  const webhook = webhookOf(state, owner, id);
  if (!webhook) throw new ApiError('not_found', 'no such webhook');
  return webhook;
}
