/** Loads klines of the last `PARALLAX_BACKFILL_CANDLES_DAYS` days while ingest runs. */
import type { Running } from '#infra/runtime/context';
import { KLINE_COINS, KLINE_INTERVALS } from '#schemas/venues/venue-a/klines';
import { ConnectionState } from '../../../feed/connection-state.ts';
import { UpstreamError } from '../../../feed/errors.ts';
import { Poller } from '../../../feed/poller.ts';
import { type AdapterContext, upstreamUrl } from '../../adapter.ts';
import { BACKGROUND, REFUSED_STATUSES } from './declaration.ts';
import { ExchangeClient, SOURCE } from './exchange-client.ts';
import { loadKlines } from './load-klines.ts';
import { LoadedKlines } from './loaded-klines.ts';

/** Starts in the background, unless the setting is 0. */
export function startKlines(
  context: AdapterContext,
  { intervalMs, pauseMs }: { readonly intervalMs: number; readonly pauseMs: number } = BACKGROUND,
): Running | null {
  const { settings, publisher, logger, metrics, log, codec } = context;
  const days = settings.backfillCandlesDays;
  if (days === 0) return null;
  const client = new ExchangeClient({ url: upstreamUrl(settings, 'externalExchangeUrl'), metrics, logger });
  const connection = new ConnectionState({ venue: 'venue_a', feed: SOURCE, publisher, logger, metrics });
  let loaded: LoadedKlines | null = null;
  let isRefused = false;

  const round = async (signal: AbortSignal) => {
    if (isRefused) return;
    loaded ??= await LoadedKlines.open(log, codec, signal);
    try {
      const { bars, unknownCoins } = await loadKlines({
        coins: KLINE_COINS,
        intervals: KLINE_INTERVALS,
        days,
        client,
        loaded,
        publisher,
        signal,
        pauseMs,
        onProgress: (done) => {
          if (done > 0) connection.markConnected();
        },
      });
      logger.info({ bars, unknownCoins, requests: client.requests }, 'klines of the external exchange are loaded');
    } catch (error) {
      isRefused = error instanceof UpstreamError && REFUSED_STATUSES.includes(error.status);
      // A refused region stays refused: only another URL helps, and with it a start.
      if (isRefused) logger.error({ error }, 'no klines are loaded');
      throw error;
    }
  };
  return new Poller({ connection, publisher, logger, intervalMs: () => intervalMs, minIntervalMs: 0, round });
}
