import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import type { Instrument } from '#schemas/topics/normalised';
import type { Views } from '../../../../../views/views.ts';

/** Path of one coin: main-dex names as `BTC` or `kPEPE`. */
export const coinPath = z.object({ coin: z.string().regex(/^[0-9A-Za-z]{1,32}$/, 'is no coin name') });

/** A listed perpetual coin. Throws 404 `unknown_coin` for any other. */
export function findCoin(views: Pick<Views, 'instruments'>, coin: string): Instrument {
  const instrument = views.instruments.get(coin);
  if (!instrument || instrument.provider !== 'venue_a_perp' || instrument.kind !== 'perp' || instrument.delisted)
    throw new ApiError('unknown_coin', `no coin ${coin}`);
  return instrument;
}
