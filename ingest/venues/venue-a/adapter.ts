/** venue_a: metadata by polling, everything else over its WebSocket. */
import type { Running } from '#infra/context';
import { Budget } from '../../feed/budget.ts';
import { UpstreamError } from '../../feed/errors.ts';
import { FeedLife } from '../../feed/feed-life.ts';
import { HttpClient } from '../../feed/http-client.ts';
import { parseAnswer } from '../../feed/json.ts';
import { Poller } from '../../feed/poller.ts';
import { type AdapterContext, addressOf, below, type VenueAdapter } from '../adapter.ts';
import { askSettlements } from './ask-settlements.ts';
import { chooseBookCoins, outcomeCoins, readOutcomes, readPerps } from './coins.ts';
import {
  FURTHER,
  LIVE,
  METADATA_EVERY_MS,
  METADATA_SOONEST_MS,
  METADATA_WEIGHT,
  REST_BUDGET,
  SUBSCRIBABLE,
} from './declaration.ts';
import { EarlierOutcomes } from './earlier-outcomes.ts';
import { readEarlierOutcome, readFollowed } from './read-followed.ts';
import { SubscriptionSlots } from './slots.ts';
import { wantedSubscriptions } from './subscriptions.ts';

const FEED = 'venue_a.info';
/** How a frame begins that tells of new or settled outcome markets. */
const OUTCOME_UPDATE = Buffer.from('{"channel":"outcomeMetaUpdates"');

export const venueA: VenueAdapter = { venue: 'venue_a', start };

async function start(context: AdapterContext): Promise<Running> {
  const { settings, publisher, logger, metrics } = context;
  const apiUrl = addressOf(settings.venueAApiUrl, LIVE.api, settings.venues, 'PARALLAX_VENUE_A_API_URL');
  const wsUrl = addressOf(settings.venueAWsUrl, LIVE.ws, settings.venues, 'PARALLAX_VENUE_A_WS_URL');
  const http = new HttpClient({ budget: new Budget(REST_BUDGET) });
  const life = new FeedLife({ venue: 'venue_a', feed: FEED, publisher, logger, metrics });
  const metadataLoaded = context.expect('venue_a metadata');
  const { settled, missed } = await readFollowed(context.log, context.codec);
  const earlier = new EarlierOutcomes(await readEarlierOutcome(context.log, context.codec), Date.now());
  /** Published so far. */
  let answers = 0;
  const slots = new SubscriptionSlots({
    context,
    url: wsUrl,
    onFrame: (frame) => {
      if (frame.subarray(0, OUTCOME_UPDATE.length).equals(OUTCOME_UPDATE)) poller.nudge();
    },
    onAllConnected: context.expect('venue_a sockets'),
  });

  /** Asks one metadata question and publishes the answer. */
  const ask = async (request: string, signal: AbortSignal): Promise<Buffer> => {
    await publisher.whenReady(signal);
    const payload = await http.ask({ url: below(apiUrl, '/info'), body: request, weight: METADATA_WEIGHT, signal });
    life.connect();
    publisher.receive({ source: FEED, feed: FEED, request, payload });
    answers += 1;
    return payload;
  };
  const askType = (type: string, signal: AbortSignal) => ask(JSON.stringify({ type }), signal);

  const watch = (perpAnswer: unknown, outcomes: readonly number[]) => {
    const perps = readPerps(perpAnswer);
    if (perps.length === 0) throw new UpstreamError('upstream_malformed', 'metaAndAssetCtxs names no coin');
    const books = slots.current().filter(({ type }) => type === 'l2Book');
    const bookCoins = chooseBookCoins(perps, settings.venueACoins, new Set(books.map(({ coin = '' }) => coin)));
    slots.want(wantedSubscriptions({ perps, outcomeCoins: outcomeCoins(outcomes), bookCoins }));
  };

  const poller = new Poller({
    life,
    publisher,
    logger,
    everyMs: () => METADATA_EVERY_MS,
    soonestMs: METADATA_SOONEST_MS,
    round: async (signal) => {
      const [perpType, outcomeType] = SUBSCRIBABLE;
      const perpAnswer = parseAnswer(await askType(perpType, signal), perpType);
      const listed = readOutcomes(parseAnswer(await askType(outcomeType, signal), outcomeType));
      // They do not all end between two lists: an empty one is an answer that is wrong, and ends nothing.
      const outcomes = listed.length > 0 ? listed : settled.listed();
      if (outcomes.length > listed.length) logger.warn('outcomeMeta lists no outcome; those that lived still count');
      watch(perpAnswer, outcomes);
      settled.list(outcomes);
      missed.list(outcomes);
      for (const type of FURTHER) await askType(type, signal);
      metadataLoaded();
      await askSettlements({ settled, missed, earlier, logger, ask, answers: () => answers }, outcomes, signal);
    },
  });

  return {
    close: async () => {
      await poller.close();
      await slots.close();
    },
  };
}
