import { z } from 'zod';
import { ApiError } from '#schemas/errors';
import type { Instrument } from '#schemas/topics/normalised';
import type { CoinsView } from '../../../../../views/coins.ts';

/** Of a text that is no coin, as much is repeated. */
const TOLD_CHARACTERS_MAX = 100;

/** Path of one coin: main-dex names as `BTC` or `kPEPE`. A text that no coin can have is simply unknown. */
export const coinPath = z.object({ coin: z.string() });

/** Whether a coin is a perpetual of the main dex that can be traded now. */
export function isListedCoin({ provider, kind, delisted }: Instrument): boolean {
  return provider === 'venue_a_perp' && kind === 'perp' && !delisted;
}

/** A listed perpetual coin. Throws 404 `unknown_coin` for any other text. */
export function findCoin(view: Pick<CoinsView, 'instruments'>, coin: string): Instrument {
  const instrument = view.instruments.get(coin);
  if (!instrument || !isListedCoin(instrument))
    throw new ApiError('unknown_coin', `no coin ${coin.slice(0, TOLD_CHARACTERS_MAX)}`);
  return instrument;
}

/** 502 `upstream_unavailable` of a coin of which the venue has told nothing that could be served; there is no answer to quote. */
export function nothingReceived({ provider }: Instrument, message: string): ApiError {
  return new ApiError('upstream_unavailable', message, { upstream: { provider, status: null, body: null } });
}
