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

/** Why something about an address is missing from a by-address response. */
export const walletWarningSchema = z.object({
  code: z.string().describe('`not_found` for an address that no wallet has, else the code of the error.'),
  address: z.string().describe('The address in lower case.'),
  message: z.string().describe('What happened.'),
});
