/** The parameters that select wallets of the caller, the same on every route about their money. */
import { z } from 'zod';
import { accountProviderSchema, addressSchema } from '#schemas/domain/control/fields';
import { repeatedParameter } from '#schemas/http/parameters';

const walletAddress = repeatedParameter(
  addressSchema.transform((address) => address.toLowerCase()),
  'Only wallets with these addresses; may be repeated.',
).optional();

/** The parameter of the by-address routes. */
export const addressSelection = { walletAddress };

export const walletSelection = {
  walletId: repeatedParameter(z.string(), 'Only these wallets; may be repeated.').optional(),
  walletAddress,
  provider: accountProviderSchema
    .describe('Only fills of this provider; a venue stands for all of its own.')
    .optional(),
};
