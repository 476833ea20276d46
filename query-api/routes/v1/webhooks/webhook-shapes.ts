/** What REST takes and tells of webhooks (the contract, Webhooks). */
import { z } from 'zod';
import { SUBSCRIPTIONS_MAX, subscriptionSchema, subscriptionsFault } from '#schemas/domain/control/fields';
import { webhookOf } from '#schemas/domain/control/lookups';
import type { Owner } from '#schemas/domain/control/owner';
import type { ControlState, Webhook } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { isoTimeSchema } from '#schemas/http/scalars';
import { subscriptionFaults } from './subscription-faults.ts';

/**
 * What a webhook is to be told, each entry held against the catalog. Strict: a misspelt `filters` would widen what
 * somebody hears.
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
    const message = subscriptionsFault(subscriptions);
    if (message) context.addIssue({ code: 'custom', message });
  });

const described = {
  id: z.string(),
  url: z.string(),
  subscriptions: z.array(subscriptionSchema).readonly(),
  enabled: z.boolean(),
  disabledReason: z.enum(['manual', 'gone', 'failing']).nullable(),
  createdAt: isoTimeSchema,
  updatedAt: isoTimeSchema,
};

export const webhookSchema = z.object(described);

/** A webhook whose secret was just made. */
export const webhookWithSecretSchema = z.object({
  ...described,
  secret: z.string().nullable().describe('`whsec_` and base64 of 32 bytes. Told once; null in a replay.'),
});

/** The owner's webhook of that id. Throws 404 for one of somebody else exactly as for none. */
export function findWebhook(state: ControlState, owner: Owner, id: string): Webhook {
  const webhook = webhookOf(state, owner, id);
  if (!webhook) throw new ApiError('not_found', 'no such webhook');
  return webhook;
}
