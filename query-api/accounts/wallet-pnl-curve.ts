/** The PnL curve of a bound wallet (specification, NAV and PnL series). */
import { z } from 'zod';
import type { Wallet } from '#schemas/domain/control/state';
import { toNumber } from '#schemas/domain/decimal';
import { curveOf, VENUE_SOURCES, WINDOWS, type Window } from '#schemas/domain/returns/series';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { providerFamily, WALLET_PROVIDERS } from '#schemas/venues/accounts';
import type { IngestRequests } from '../routes/route.ts';
import { fetchSeries } from '../upstream/read-series.ts';

export const windowParameter = z.enum(WINDOWS).default('ALL').describe('How far back the curve reaches; default ALL.');

export const windowField = z.enum(WINDOWS).describe('How far back the curve reaches.');

export const walletPnlCurveSchema = z.object({
  walletId: z.string().describe('The bound wallet.'),
  provider: z.enum(WALLET_PROVIDERS).describe('The provider of the binding. The curve is that of the whole account.'),
  address: z.string().describe('The address in lower case.'),
  window: windowField,
  source: z.enum(VENUE_SOURCES).describe('The series of the venue from which the curve is.'),
  points: z
    .array(
      z.object({
        t: z.number().int().describe('Unix seconds.'),
        pnl: z.number().describe('Profit since the first point, USD; deposits and withdrawals do not change it.'),
      }),
    )
    .describe('Oldest first; empty for an account that the venue does not know.'),
  asOf: isoTimeSchema.describe('When the venue returned the series, at most a minute ago.'),
});
export type WalletPnlCurve = z.infer<typeof walletPnlCurveSchema>;

/** Rejects with an `ApiError` if the series cannot be read. */
export async function walletPnlCurve(wallet: Wallet, window: Window, ingest: IngestRequests): Promise<WalletPnlCurve> {
  const { id: walletId, provider, address } = wallet;
  const { source, points, fetchedAt } = await fetchSeries(ingest, providerFamily(provider), address, window);
  return {
    walletId,
    provider,
    address,
    window,
    source,
    points: curveOf(points).map(({ t, pnl }) => ({ t, pnl: toNumber(pnl) })),
    asOf: isoTime(fetchedAt),
  };
}
