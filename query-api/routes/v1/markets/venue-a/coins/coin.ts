import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import type { Instrument } from '#schemas/topics/normalised';
import type { CoinsOfVenue } from '../../../../../views/coins.ts';

/** Maximum length of an unknown coin that an error message repeats. */
const ECHOED_CHARACTERS_MAX = 100;

/**
 * Path of a coin of the main dex, such as `BTC` or `kPEPE`. Any text is accepted; one that is not a coin is answered
 * 404.
 */
export const coinPath = z.object({ coin: z.string().describe('A perpetual of the main dex, such as BTC.') });

/** True for a perpetual of the main dex that is not delisted. */
export function isListedCoin({ provider, kind, delisted }: Instrument): boolean {
  return provider === 'venue_a_perp' && kind === 'perp' && !delisted;
}

/** Finds a listed perpetual. Throws 404 `unknown_coin` for any other text. */
export function findCoin(coins: Pick<CoinsOfVenue, 'instruments'>, coin: string): Instrument {
  const instrument = coins.instruments.get(coin);
  if (!instrument || !isListedCoin(instrument))
    throw new ApiError('unknown_coin', `no coin ${coin.slice(0, ECHOED_CHARACTERS_MAX)}`);
  return instrument;
}

/**
 * The error 502 `upstream_unavailable` for a coin whose data the venue has not sent yet, so without an upstream
 * response.
 */
export function noDataReceived({ provider }: Instrument, message: string): ApiError {
  return new ApiError('upstream_unavailable', message, { upstream: { provider, status: null, body: null } });
}
