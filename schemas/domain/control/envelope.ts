/** The fields of a client's command beside its arguments: the actor and the `Idempotency-Key`. */
import { z } from 'zod';
import { TEXT_MAX } from './text-max.ts';

/** The actor: the key of the request, or of its portal session. */
const actorSchema = z.object({
  orgId: z.string().max(TEXT_MAX),
  keyId: z.string().max(TEXT_MAX),
  userId: z.string().max(TEXT_MAX),
  sandbox: z.boolean(),
});
export type Actor = z.infer<typeof actorSchema>;

const idempotencySchema = z.object({
  /** The header `Idempotency-Key`. */
  key: z.string().min(1).max(255),
  /** The method and the requested path with its ids. */
  route: z.string().min(1).max(2_048),
  /** A digest of the request's body; equal bodies have equal digests. */
  bodyDigest: z.string().min(1).max(128),
});
export type IdempotencyRequest = z.infer<typeof idempotencySchema>;

export const envelopeSchema = z.object({ actor: actorSchema, idempotency: idempotencySchema.optional() });
export type Envelope = z.infer<typeof envelopeSchema>;
