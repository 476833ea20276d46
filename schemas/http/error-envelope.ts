import { z } from 'zod';
import { type ApiError, ERRORS, type ErrorCode } from '../errors.ts';

/** The body of every error (specification, Errors). `provider` and `upstream` are set only if a venue is at fault. */
export const errorEnvelopeSchema = z.object({
  error: z
    .object({
      code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('Stable; clients branch on it.'),
      message: z.string().describe('A sentence for people; it names the field of a bad input.'),
      requestId: z.string().nullable().describe('Mirrors the header X-Request-Id; null where there is none.'),
      provider: z.string().optional().describe('The venue at fault; only for upstream errors.'),
      upstream: z
        .object({
          status: z.number().int().nullable().describe('HTTP status of the venue; null without a response.'),
          body: z.unknown().describe('Its body; null without a response.'),
        })
        .optional()
        .describe('What the venue answered; only for upstream errors.'),
    })
    .describe('What went wrong.'),
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
