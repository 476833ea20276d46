import { z } from 'zod';
import { type ApiError, ERRORS, type ErrorCode } from '../errors.ts';

/** The body of every error (specification, Errors). `provider` and `upstream` are set only if a venue is at fault. */
export const errorEnvelopeSchema = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('Stable; clients branch on it.'),
    message: z.string(),
    requestId: z.string().nullable().describe('Mirrors the header X-Request-Id.'),
    provider: z.string().optional(),
    upstream: z.object({ status: z.number().int().nullable(), body: z.unknown() }).optional(),
  }),
});
export type ErrorEnvelope = z.infer<typeof errorEnvelopeSchema>;

/** The body of an error response. The cause is only logged. */
export function errorEnvelope(
  { code, message, upstream }: Pick<ApiError, 'code' | 'message' | 'upstream'>,
  requestId: string | null,
): ErrorEnvelope {
  if (!upstream) return { error: { code, message, requestId } };
  const { provider, status, body } = upstream;
  return { error: { code, message, requestId, provider, upstream: { status, body } } };
}
