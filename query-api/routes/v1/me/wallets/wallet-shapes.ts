import { z } from 'zod';
import { isoTimeSchema } from '#schemas/http/scalars';
import { WALLET_PROVIDERS } from '#schemas/venues/accounts';

/** Response schema of a wallet binding (specification, Wallet binding). */
export const walletSchema = z.object({
  id: z.string(),
  provider: z.enum(WALLET_PROVIDERS),
  address: z.string(),
  label: z.string(),
  createdAt: isoTimeSchema,
});
