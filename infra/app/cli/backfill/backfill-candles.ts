/** Writes klines of the external exchange into the log as ingest does, under its lease. */

import type { Logger } from 'pino';
import { INGEST_LEASE, INGEST_TOPICS } from '#ingest/publisher/ingest-topics';
import { openPublisher } from '#ingest/publisher/open-publisher';
import { upstreamUrl } from '#ingest/venues/adapter';
import { ExchangeClient } from '#ingest/venues/venue-a/klines/exchange-client';
import { type LoadOptions, type LoadResult, loadKlines } from '#ingest/venues/venue-a/klines/load-klines';
import { LoadedKlines } from '#ingest/venues/venue-a/klines/loaded-klines';
import { SettingError } from '../../../config/declare.ts';
import type { Settings } from '../../../config/settings.ts';
import { type EventLog, type Lease, LogError } from '../../../log/log.ts';
import type { LogSettings } from '../../../log/open-log.ts';
import { closeInReverse } from '../../../runtime/closing.ts';
import { timeLimit } from '../../../runtime/time-limit.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { startExchange } from '../../simulator/start-exchange.ts';
import { openForIngest } from '../ports.ts';

/** How long to wait for the lease of a writer that has just ended. */
const LEASE_WAIT_MS = 20_000;

type BackfillSettings = LogSettings &
  Pick<Settings, 'schemaRegistry' | 'venues' | 'simSeed' | 'externalExchangeUrl'> &
  Pick<LoadOptions, 'coins' | 'intervals' | 'days'>;

export interface BackfillResult extends LoadResult {
  /** Requests that were sent, each attempt counted. */
  readonly requests: number;
}

interface BackfillContext extends Pick<LoadOptions, 'signal' | 'onProgress'> {
  readonly logger: Logger;
}

/**
 * Rejects with a `SettingError` while a process with the role ingest runs on the log, and otherwise as `loadKlines` and
 * the log do.
 */
export async function backfillCandles(settings: BackfillSettings, context: BackfillContext): Promise<BackfillResult> {
  if (settings.venues.startsWith('recording:'))
    throw new SettingError('--venues: a recording has no exchange to load from; accepted: sim, live');
  const { logger } = context;
  const ports = await openForIngest(settings, logger).catch(refuseBesideIngest);
  const closers = [() => ports.close()];
  try {
    const lease = await leaseOfIngest(ports.log);
    closers.push(() => lease.release());
    const metrics = createMetrics();
    const ending = new AbortController();
    const publisher = await openPublisher({
      ...ports,
      logger,
      metrics,
      time: 'live',
      promisedUntil: lease.promisedUntil,
      onLogStatus: (error) => error && logger.warn({ error }, 'the log accepts nothing now'),
      onFailure: (error) => ending.abort(error),
    });
    closers.push(() => publisher.close());
    const exchange = await exchangeOf(settings);
    closers.push(() => exchange.close());
    const client = new ExchangeClient({ url: exchange.url, metrics, logger });
    const signal = AbortSignal.any([context.signal, ending.signal]);
    const loaded = await LoadedKlines.open(ports.log, ports.codec, signal);
    const { coins, intervals, days } = settings;
    const loading = loadKlines({ ...context, coins, intervals, days, client, loaded, publisher, signal });
    closers.push(async () => {
      ending.abort();
      await loading.catch(() => {});
    });
    const result = await Promise.race([loading, lease.lost]);
    return { ...result, requests: client.requests };
  } finally {
    await closeInReverse(closers);
  }
}

/** With `--venues sim` the exchange is part of this process. */
async function exchangeOf(settings: BackfillSettings): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (settings.venues === 'sim' && settings.externalExchangeUrl === null)
    return startExchange({ seed: settings.simSeed });
  return { url: upstreamUrl(settings, 'externalExchangeUrl'), close: async () => {} };
}

function leaseOfIngest(log: EventLog): Promise<Lease> {
  const topics = INGEST_TOPICS.map(({ name }) => name);
  return log.lease(INGEST_LEASE, topics, { signal: timeLimit(LEASE_WAIT_MS) }).catch(refuseBesideIngest);
}

function refuseBesideIngest(error: unknown): never {
  if (!(error instanceof LogError) || error.code !== 'log_locked') throw error;
  throw new SettingError(
    'a process with the role ingest uses this log; stop it first, or let it load the candles itself (PARALLAX_BACKFILL_CANDLES_DAYS)',
  );
}
