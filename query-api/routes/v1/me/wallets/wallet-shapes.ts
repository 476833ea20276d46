import { z } from 'zod';
import { isoTimeSchema } from '#schemas/http/scalars';

/** Response schema of a wallet binding (specification, Wallet binding). */
export const walletSchema = z.object({
  id: z.string(),
  provider: z.enum(['venue_a_perp', 'venue_a_outcome', 'venue_a_dex', 'venue_b']),
  address: z.string(),
  label: z.string(),
  createdAt: isoTimeSchema,
});
