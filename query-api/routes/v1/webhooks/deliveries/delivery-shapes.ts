/** Response schemas of deliveries. */
import { z } from 'zod';
import { createdAtField } from '#schemas/http/fields';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { DELIVERY_STATUSES, type DeliveryEntry } from '../../../../queries/read-deliveries.ts';

export const attemptSchema = z.object({
  at: isoTimeSchema.describe('When it began.'),
  status: z.int().nullable().describe('HTTP status; null without a response.'),
  durationMs: z.int().describe('How long it took, ms.'),
  error: z
    .string()
    .nullable()
    .describe('Why there was no response, or why no further attempt is made; null after a response.'),
});

export const deliverySchema = z
  .object({
    id: z.string().describe('`dlv_<id>`.'),
    eventId: z.string().describe('`id` of the CloudEvent, the same for every attempt and redelivery.'),
    eventType: z.string().describe('The type of the event.'),
    status: z.enum(DELIVERY_STATUSES).describe('`pending` as long as another attempt will be made.'),
    createdAt: createdAtField,
    nextAttemptAt: isoTimeSchema.nullable().describe('Null if no attempt will follow.'),
    attempts: z.array(attemptSchema).describe('Oldest first.'),
  })
  .meta({ id: 'Delivery' });

/** A row of the list of deliveries. */
export function toDeliveryRow({
  createdAt,
  nextAttemptAt,
  attempts,
  ...delivery
}: DeliveryEntry): z.infer<typeof deliverySchema> {
  return {
    ...delivery,
    createdAt: isoTime(createdAt),
    nextAttemptAt: nextAttemptAt === null ? null : isoTime(nextAttemptAt),
    attempts: attempts.map(({ at, status, durationMs, error }) => ({ at: isoTime(at), status, durationMs, error })),
  };
}
