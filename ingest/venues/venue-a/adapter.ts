/** The adapter of venue_a: polls metadata and the leaderboard, and receives everything else over WebSockets. */
import { ConnectionState } from '../../feed/connection-state.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { parseAnswer } from '../../feed/json.ts';
import { VenuePlanner } from '../../feed/planner.ts';
import { Poller } from '../../feed/poller.ts';
import { type AdapterContext, joinUrl, type RunningAdapter, upstreamUrl, type VenueAdapter } from '../adapter.ts';
import {
  limitsOf,
  METADATA_INTERVAL_MS,
  METADATA_MIN_INTERVAL_MS,
  METADATA_WEIGHT,
  MINUTE_MS,
  OTHER_REQUESTS,
  READ_TIMEOUT_MS,
  REST_PRIORITIES,
  SUBSCRIPTION_REQUESTS,
} from './declaration.ts';
import { EarlierCursor } from './earlier-cursor.ts';
import { EarlierOutcomes } from './earlier-outcomes.ts';
import { startDailyBars } from './fetch-daily-bars.ts';
import { InfoClient } from './info-client.ts';
import { createInfoReads } from './info-reads.ts';
import { startKlines } from './klines/background.ts';
import { startLeaderboard } from './leaderboard.ts';
import { LinkedOutcomes } from './linked-outcomes.ts';
import { MarketWatcher } from './market-watcher.ts';
import { type AnsweredLists, readOutcomes, readPerps, replaceEmptyLists } from './markets.ts';
import { followFills } from './node-fills/follow-fills.ts';
import { NodeInfo } from './node-info.ts';
import { readTrackedOutcomes } from './read-tracked-outcomes.ts';
import { startGapRepairs } from './repair-gaps.ts';
import { requestSettlements } from './request-settlements.ts';
import { RequestedBooks } from './requested-books.ts';
import { SubscriptionSlots } from './slots.ts';

const FEED = 'venue_a.info';
/** The start of a frame about new or settled outcome markets. */
const OUTCOME_UPDATE = Buffer.from('{"channel":"outcomeMetaUpdates"');
/** The start of a frame with the contexts of all dexes. */
const ALL_CONTEXTS = Buffer.from('{"channel":"allDexsAssetCtxs"');
const startsWith = (frame: Buffer, start: Buffer) => frame.subarray(0, start.length).equals(start);

export const venueA: VenueAdapter = { start };

async function start(context: AdapterContext): Promise<RunningAdapter> {
  const { settings, publisher, logger, metrics } = context;
  const apiUrl = upstreamUrl(settings, 'venueAApiUrl');
  const wsUrl = upstreamUrl(settings, 'venueAWsUrl');
  const infoUrl = joinUrl(apiUrl, '/info');
  // Only the simulator counts with another minute.
  const minuteMs = settings.venues === 'sim' ? settings.simMinuteMs : MINUTE_MS;
  const planner = await VenuePlanner.open(limitsOf(minuteMs), { ...context, venue: 'venue_a' });
  const budget = planner.weight;
  const counter = { source: FEED, metrics };
  const http = new HttpClient({ budget, counter });
  const readHttp = new HttpClient({ budget, counter, retries: 'reads', timeoutMs: READ_TIMEOUT_MS });
  const { venueANodeUrl } = settings;
  const node = venueANodeUrl === null ? null : new NodeInfo({ url: joinUrl(venueANodeUrl, '/info'), logger, metrics });
  const client = new InfoClient({ url: infoUrl, http, node });
  const readClient = new InfoClient({ url: infoUrl, http: readHttp, node });
  const connection = new ConnectionState({ venue: 'venue_a', feed: FEED, publisher, logger, metrics });
  const metadataLoaded = context.expect('venue_a metadata');
  const { pending, missed } = await readTrackedOutcomes(context.log, context.codec);
  const cursor = await EarlierCursor.open(context.log, context.codec);
  const earlier = new EarlierOutcomes(cursor.outcome, performance.now());
  const slots = new SubscriptionSlots({
    context,
    url: wsUrl,
    planner,
    onFrame: (frame) => {
      if (startsWith(frame, OUTCOME_UPDATE)) poller.requestRound();
      else if (startsWith(frame, ALL_CONTEXTS)) watcher.setContexts(frame);
    },
    onAllConnected: context.expect('venue_a sockets'),
  });
  const requestedBooks = new RequestedBooks(() => watcher.changed());
  const linked = new LinkedOutcomes(context, () => watcher.changed());
  const watcher = new MarketWatcher({
    slots,
    bookCoins: settings.venueACoins,
    linked: () => linked.coins(),
    requestedBooks: (now) => requestedBooks.coins(now),
  });
  await linked.start();

  /** Sends one request and publishes the answer. */
  const send = async (
    request: string,
    signal: AbortSignal,
    priority: number,
    weight: number = METADATA_WEIGHT,
  ): Promise<Buffer> => {
    await publisher.whenReady(signal);
    const { payload } = await client.send({ body: request, weight, priority, signal });
    connection.markConnected();
    publisher.receive({ source: FEED, feed: FEED, request, payload });
    return payload;
  };
  const sendType = (type: string, signal: AbortSignal) =>
    send(JSON.stringify({ type }), signal, REST_PRIORITIES.listings);

  /** Requests settlements apart from the lists: many may be due at once, and wait for weight that lists do not need. */
  const settle = async (listed: readonly number[], signal: AbortSignal): Promise<void> => {
    const requests = {
      ...{ pending, missed, earlier, logger },
      send: (request: string, until: AbortSignal) => send(request, until, REST_PRIORITIES.settlements),
      saveCursor: (outcome: number | null, until: AbortSignal) => cursor.save(outcome, until),
    };
    try {
      await requestSettlements(requests, listed, signal);
    } catch (error) {
      // The lists show whether the venue is reachable; the next round requests what is due again.
      if (!signal.aborted) logger.warn({ error }, 'could not request a settlement');
    }
  };
  let settling: Promise<void> | null = null;
  let previous: AnsweredLists | null = null;
  const poller = new Poller({
    connection,
    publisher,
    logger,
    intervalMs: () => METADATA_INTERVAL_MS,
    minIntervalMs: METADATA_MIN_INTERVAL_MS,
    round: async (signal) => {
      const request = async (type: string) => parseAnswer(await sendType(type, signal), type);
      const [perpType, dexType, pairType, outcomeType] = SUBSCRIPTION_REQUESTS;
      const lists = { perps: await request(perpType), dexes: await request(dexType), pairs: await request(pairType) };
      const listed = readOutcomes(await request(outcomeType));
      // Outcomes never all end between two lists. An empty list is a wrong answer and ends none of them.
      const outcomes = listed.length > 0 ? listed : pending.listed();
      if (outcomes.length > listed.length) logger.warn('outcomeMeta lists no outcome; using the previous list');
      if (readPerps(lists.perps).length === 0)
        throw new UpstreamError('upstream_malformed', 'metaAndAssetCtxs names no coin');
      const complete = replaceEmptyLists(lists, previous);
      if (complete.dexes !== lists.dexes || complete.pairs !== lists.pairs)
        logger.warn('allPerpMetas or spotMetaAndAssetCtxs lists nothing; using the previous list');
      previous = complete;
      watcher.setLists(complete, outcomes);
      pending.addList(outcomes);
      missed.addList(outcomes);
      for (const type of OTHER_REQUESTS) await sendType(type, signal);
      metadataLoaded();
      settling ??= settle(outcomes, signal).finally(() => {
        settling = null;
      });
    },
  });

  const repairs = await startGapRepairs({
    context,
    send: (request, signal, weight) => send(request, signal, REST_PRIORITIES.repairs, weight),
  });
  const dailyBars = await startDailyBars({
    context,
    coins: () => watcher.perpCoins,
    send: (request, signal, weight) => send(request, signal, REST_PRIORITIES.others, weight),
  });
  const leaderboard = await startLeaderboard(context);
  const fills =
    settings.venueANodeData === null ? null : await followFills({ ...context, folder: settings.venueANodeData });
  const klines = startKlines(context);
  return {
    handlers: [createInfoReads({ client: readClient, budget, publisher, feed: FEED }), requestedBooks.handler],
    close: async () => {
      await klines?.close();
      await leaderboard.close();
      await dailyBars.close();
      await repairs.close();
      await linked.close();
      await poller.close();
      await settling;
      watcher.close();
      await slots.close();
      await node?.close();
      await fills?.close();
      await planner.close();
    },
  };
}
