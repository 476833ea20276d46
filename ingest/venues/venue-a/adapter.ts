/** The adapter of venue_a: polls metadata and the leaderboard, and receives everything else over WebSockets. */
import { closeInReverse } from '#infra/runtime/closing';
import { ConnectionState } from '../../feed/connection-state.ts';
import { HttpClient, type HttpRequest } from '../../feed/http-client.ts';
import { VenuePlanner } from '../../feed/planner.ts';
import { HeldInstruments } from '../../held/held-instruments.ts';
import type { RequestHandler } from '../../requests/request-handler.ts';
import { startSeriesRequests } from '../../series/request-series.ts';
import { startSnapshots } from '../../snapshots/request-snapshots.ts';
import {
  type AdapterContext,
  joinUrl,
  type RunningAdapter,
  type StartContext,
  upstreamUrl,
  type VenueAdapter,
} from '../adapter.ts';
import { RecentAccounts } from './account-fills/recent-accounts.ts';
import { startFillRequests } from './account-fills/request-fills.ts';
import { startFlowRequests } from './account-flows/request-flows.ts';
import { CLIENTS, snapshotsThatFit } from './accounts-fit.ts';
import { createAcquisitions } from './acquisitions.ts';
import { startFileRequests } from './builder-exports/request-files.ts';
import { limitsOf, METADATA_WEIGHT, MINUTE_MS, READ_TIMEOUT_MS, REST_PRIORITIES } from './declaration.ts';
import { DEXES_REQUEST, DexList } from './dex-list.ts';
import { EarlierCursor } from './earlier-cursor.ts';
import { startDailyBars } from './fetch-daily-bars.ts';
import { InfoClient } from './info-client.ts';
import { createInfoReads, readInfo } from './info-reads.ts';
import { startKlines } from './klines/background.ts';
import { startLeaderboard } from './leaderboard.ts';
import { LinkedOutcomes } from './linked-outcomes.ts';
import { MarketWatcher } from './market-watcher.ts';
import { MetadataRounds } from './metadata-rounds.ts';
import { followFills } from './node-fills/follow-fills.ts';
import { NodeInfo } from './node-info.ts';
import { createPositionReads } from './position-reads.ts';
import { readTrackedOutcomes } from './read-tracked-outcomes.ts';
import { startGapRepairs } from './repair-gaps.ts';
import { RequestedBooks } from './requested-books.ts';
import { SubscriptionSlots } from './slots.ts';

const FEED = 'venue_a.info';
/** The start of a frame about new or settled outcome markets. */
const OUTCOME_UPDATE = Buffer.from('{"channel":"outcomeMetaUpdates"');
/** The start of a frame with the contexts of all dexes. */
const ALL_CONTEXTS = Buffer.from('{"channel":"allDexsAssetCtxs"');
const startsWith = (frame: Buffer, start: Buffer) => frame.subarray(0, start.length).equals(start);

export const venueA: VenueAdapter = { start };

/** Adds what was started to what is closed in the end, in reverse, and returns it. */
type Opened = <T extends { close(): Promise<void> | void }>(part: T) => T;

async function start(context: StartContext): Promise<RunningAdapter> {
  const steps: (() => Promise<void>)[] = [];
  const opened: Opened = (part) => {
    steps.push(async () => part.close());
    return part;
  };
  const close = () => closeInReverse(steps);
  try {
    return { handlers: await startParts(context, opened), close };
  } catch (error) {
    await close().catch((cause: unknown) => context.logger.error({ error: cause }, 'could not close venue_a'));
    throw error;
  }
}

/** Starts everything. Resolves with the kinds of requests that it serves. */
async function startParts(context: StartContext, opened: Opened): Promise<readonly RequestHandler[]> {
  const { settings, publisher, logger, metrics } = context;
  const connection = new ConnectionState({ venue: 'venue_a', feed: FEED, publisher, logger, metrics });
  const metadataLoaded = context.expect('venue_a metadata');
  const tracked = await readTrackedOutcomes(context.log, context.codec);
  const cursor = await EarlierCursor.open(context.log, context.codec);
  // Only the simulator counts with another minute.
  const minuteMs = settings.venues === 'sim' ? settings.simMinuteMs : MINUTE_MS;
  const limits = limitsOf(minuteMs);
  const planner = opened(await VenuePlanner.open(limits, { ...context, venue: 'venue_a' }));
  const { client, readClient, ...accountClient } = openClients(context, planner, opened);
  const dexes = new DexList();
  const slots = opened(
    new SubscriptionSlots({
      context,
      url: upstreamUrl(settings, 'venueAWsUrl'),
      planner,
      // No slot is open before the first lists, so that all that these use is there.
      onFrame: (frame) => {
        if (startsWith(frame, OUTCOME_UPDATE)) metadata.requestRound();
        else if (startsWith(frame, ALL_CONTEXTS)) watcher.setContexts(frame);
      },
      onAllConnected: context.expect('venue_a sockets'),
    }),
  );
  const requestedBooks = new RequestedBooks(() => watcher.changed());
  const linked = new LinkedOutcomes(context, () => watcher.changed());
  const held = new HeldInstruments(context, 'venue_a', () => watcher.changed());
  // A node has all fills.
  const recent = settings.venueANodeData === null ? new RecentAccounts(() => watcher.changed()) : null;
  const watcher = opened(
    new MarketWatcher({
      slots,
      bookCoins: settings.venueACoins,
      logger,
      linked: () => linked.coins(),
      isHeld: (coin) => held.has(coin),
      users: () => recent?.users() ?? [],
      requestedBooks: (now) => requestedBooks.coins(now),
    }),
  );
  await opened(linked).start();
  await opened(held).start();

  /** Sends one request and publishes the answer. */
  const sendAs = async (
    request: string,
    signal: AbortSignal,
    cost: Pick<HttpRequest, 'weight' | 'weightOf' | 'priority' | 'payers' | 'roomUntil' | 'onSend'>,
    by: InfoClient = client,
  ): Promise<Buffer> => {
    await publisher.whenReady(signal);
    let requestedAt = publisher.now();
    const onSend = () => {
      requestedAt = publisher.now();
      cost.onSend?.();
    };
    const { payload } = await by.send({ body: request, ...cost, signal, onSend });
    connection.markConnected();
    publisher.receive({ source: FEED, feed: FEED, request, requestedAt, payload });
    if (request === DEXES_REQUEST) dexes.receive(payload);
    return payload;
  };
  const send = (
    request: string,
    signal: AbortSignal,
    priority: number,
    weight: number = METADATA_WEIGHT,
    weightOf: (response: Buffer) => number = () => weight,
  ) => sendAs(request, signal, { priority, weight, weightOf });
  const metadata = opened(
    new MetadataRounds({ context, connection, watcher, tracked, cursor, send, onLoaded: metadataLoaded }),
  );
  const repairs = await startGapRepairs({
    context,
    send: (request, signal, weight) => send(request, signal, REST_PRIORITIES.repairs, weight),
  });
  opened(repairs);
  const dailyBars = await startDailyBars({
    context,
    coins: () => watcher.perpCoins,
    send: (request, signal, weight) => send(request, signal, REST_PRIORITIES.others, weight),
  });
  opened(dailyBars);
  const fills = await startFillRequests({
    context,
    send: sendAs,
    recent,
  });
  opened(fills);
  const flows = await startFlowRequests({
    context,
    // Reads of clients are retried.
    send: (request, signal, cost) => sendAs(request, signal, cost, cost.payers ? readClient : client),
  });
  opened(flows);
  const series = await startSeriesRequests({
    context,
    attempts: context.seriesAttempts,
    family: 'venue_a',
    // One response has all windows.
    windows: ['ALL'],
    send: (user, _window, signal) =>
      send(JSON.stringify({ type: 'portfolio', user }), signal, REST_PRIORITIES.others, METADATA_WEIGHT),
  });
  opened(series);
  opened(await startLeaderboard(context));
  opened(await startFileRequests({ context }));
  const { venueANodeData } = settings;
  if (venueANodeData !== null) opened(await followFills({ ...context, folder: venueANodeData }));
  const klines = startKlines(context);
  if (klines) opened(klines);
  const readOptions = { client: readClient, budget: planner.weight, publisher, feed: FEED };
  const reads = createInfoReads(readOptions);
  const positions = createPositionReads((request, reading) => readInfo(readOptions, request, reading), {
    budget: planner.weight,
    dexes,
  });
  const acquisitions = createAcquisitions({
    ...accountClient,
    budget: planner.weight,
    dexes,
    publisher,
    metrics,
    feed: FEED,
  });
  const { acquire } = acquisitions;
  const fits = (clients: (typeof CLIENTS)[number], within: Parameters<typeof snapshotsThatFit>[4] = {}) =>
    snapshotsThatFit(limits.weight, dexes.names(), settings.venueANodeUrl !== null, clients, within);
  metrics.accountsFit.read = () => CLIENTS.map((clients) => ({ venue: 'venue_a', clients, accounts: fits(clients) }));
  opened(
    await startSnapshots({
      context,
      family: 'venue_a',
      acquire,
      priority: REST_PRIORITIES.snapshots,
      urgent: {
        priority: REST_PRIORITIES.urgentSnapshots,
        fits: (ms) => fits('idle', { ms, urgent: false }),
      },
    }),
  );
  return [reads, series.handler, positions, ...acquisitions.handlers, flows.handler, requestedBooks.handler];
}

/** The clients of what the adapter requests itself and of the reads of clients, and what acquisitions are sent with. */
function openClients({ settings, logger, metrics }: AdapterContext, { weight: budget }: VenuePlanner, opened: Opened) {
  const url = joinUrl(upstreamUrl(settings, 'venueAApiUrl'), '/info');
  const counter = { source: FEED, metrics };
  const { venueANodeUrl } = settings;
  const node =
    venueANodeUrl === null ? null : opened(new NodeInfo({ url: joinUrl(venueANodeUrl, '/info'), logger, metrics }));
  const http = new HttpClient({ budget, counter });
  const reads = { counter, retries: 'reads', timeoutMs: READ_TIMEOUT_MS } as const;
  return {
    client: new InfoClient({ url, http, node }),
    readClient: new InfoClient({ url, http: new HttpClient({ ...reads, budget }), node }),
    url,
    http: reads,
    node,
  };
}
