import { z } from 'zod';
import { createdAtField } from '#schemas/http/fields';
import { WALLET_PROVIDERS } from '#schemas/venues/accounts';

/** Response schema of a wallet binding (specification, Wallet binding). */
export const walletSchema = z
  .object({
    id: z.string().describe('`wal_<id>`.'),
    provider: z.enum(WALLET_PROVIDERS).describe('The provider as it is stored.'),
    address: z.string().describe('The address in lower case.'),
    label: z.string().describe('A label.'),
    createdAt: createdAtField,
  })
  .meta({ id: 'Wallet' });
