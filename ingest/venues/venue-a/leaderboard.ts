/** Fetches the export of the leaderboard at an interval, and publishes each complete one in parts. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import type { Running } from '#infra/runtime/context';
import { readPartPlace } from '#schemas/domain/export-parts';
import { rawTopic } from '#schemas/topics/raw';
import { LEADERBOARD_REQUEST, parseLeaderboardRows } from '#schemas/venues/venue-a/leaderboard-export';
import { compressExport, type Pause, publishExport } from '../../exports/publish-export.ts';
import type { Part } from '../../exports/split-rows.ts';
import { Budget } from '../../feed/budget.ts';
import { ConnectionState } from '../../feed/connection-state.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { HttpClient, type HttpClientOptions } from '../../feed/http-client.ts';
import { Poller } from '../../feed/poller.ts';
import { type AdapterContext, joinUrl, upstreamUrl } from '../adapter.ts';
import { LEADERBOARD } from './declaration.ts';

const SOURCE = 'venue_a.stats';
const MINUTE_MS = 60_000;
/**
 * Pause after each part of an export (some 64 KiB of text), when it is fetched and when it is published. Nobody waits for a
 * board that comes every hour, but everybody for the processor: its stage, the tables and the queries work on it at the
 * pace at which it is published. 40 MB take 13 s each time.
 */
const PART_PAUSE_MS = 20;

/**
 * Starts in the background: immediately if the newest board in the log is older than the interval, else when it will be.
 */
export async function startLeaderboard(context: AdapterContext): Promise<Running> {
  const { settings, publisher, logger, metrics, log, codec } = context;
  const url = joinUrl(upstreamUrl(settings, 'venueAStatsUrl'), LEADERBOARD_REQUEST.slice('GET '.length));
  const intervalMs = Number(settings.leaderboardMinutes) * MINUTE_MS;
  const connection = new ConnectionState({ venue: 'venue_a', feed: SOURCE, publisher, logger, metrics });
  const newestAt = await newestBoardAt(log, codec);
  const http = leaderboardClient({ counter: { source: SOURCE, metrics } });

  const round = async (signal: AbortSignal) => {
    const parts = await fetchExport(http, url, signal);
    await publisher.whenReady(signal);
    connection.markConnected();
    const received = { source: SOURCE, feed: SOURCE, request: LEADERBOARD_REQUEST };
    await publishExport(publisher, received, parts, pauseUnless(signal));
  };
  const poller = new Poller({
    connection,
    publisher,
    logger,
    firstDelayMs: newestAt === null ? 0 : Math.min(intervalMs, newestAt + intervalMs - Date.now()),
    intervalMs: () => intervalMs,
    minIntervalMs: 0,
    retryDelayMs: () => Math.min(MINUTE_MS, intervalMs),
    round,
  });
  return poller;
}

/** The client of all fetches, so that a `Retry-After` of one holds for the next. One request at an interval is its own limit. */
export function leaderboardClient({
  timeoutMs = LEADERBOARD.timeoutMs,
  counter,
}: Pick<HttpClientOptions, 'timeoutMs' | 'counter'>): HttpClient {
  const budget = new Budget({ max: 1, windowMs: 1 });
  return new HttpClient({ budget, timeoutMs, bodyBytesMax: LEADERBOARD.bytesMax, ...(counter ? { counter } : {}) });
}

/**
 * Resolves with the compressed parts of the export. Rejects with an `UpstreamError` if it cannot be fetched completely, is
 * not JSON, has another shape, or lists nobody.
 */
export async function fetchExport(http: HttpClient, url: string, signal: AbortSignal): Promise<Buffer[]> {
  let rows = 0;
  const check = ({ text, ...place }: Part) => {
    try {
      rows += parseLeaderboardRows(text.toString(), place).length;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new UpstreamError('upstream_malformed', `the leaderboard is not as documented: ${reason}`, { cause });
    }
  };
  const parts = await compressExport(http.stream({ url, weight: 1, signal }), check, pauseUnless(signal));
  if (rows === 0) throw new UpstreamError('upstream_malformed', 'the leaderboard lists nobody');
  return parts;
}

function pauseUnless(signal: AbortSignal): Pause {
  return () => sleep(PART_PAUSE_MS, undefined, { signal });
}

/** Event time of the newest complete board in the log; null without one. */
async function newestBoardAt(log: EventLog, codec: Codec): Promise<number | null> {
  const topic = rawTopic('venue_a', 'stats');
  const newest = await log.last({ topic: topic.name, partition: 0 });
  if (!newest?.value) return null;
  await codec.fetchSchema(newest.value);
  const { request, payload } = codec.decode(topic, newest.value);
  if (request !== LEADERBOARD_REQUEST) return null;
  const { index, count } = readPartPlace(payload);
  return index === count - 1 ? newest.receivedAt : null;
}
