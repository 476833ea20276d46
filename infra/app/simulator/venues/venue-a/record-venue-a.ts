import { FILL_LISTS } from '#schemas/topics/account-fills';
import { builderFileRequest, builderFileText } from '#schemas/venues/venue-a/builder-export';
import { fillRequest } from '#schemas/venues/venue-a/fills';
import { LEADERBOARD_REQUEST } from '#schemas/venues/venue-a/leaderboard-export';
import { ledgerUpdatesRequest } from '#schemas/venues/venue-a/ledger-updates';
import {
  ANSWERS_AFTER_HOUR_MS,
  answerLine,
  frameLine,
  type RecorderContext,
  type VenueRecorder,
} from '../../recording/venue-recorder.ts';
import { DAY_MS, HOUR_MS } from '../../world/time.ts';
import { BLOCK_MS, builderAddresses, createAccounts } from './accounts.ts';
import { answerBuilderFile } from './builder-files.ts';
import { createVenueAFeed, type FramePublisher } from './feed.ts';
import { createInfo } from './info.ts';
import { leaderboardText } from './leaderboard.ts';
import { createMarkets, outcomeNumber } from './market.ts';

/** The lists of markets. */
const LISTS = [
  { type: 'perpDexs' },
  { type: 'allPerpMetas' },
  { type: 'metaAndAssetCtxs' },
  { type: 'spotMetaAndAssetCtxs' },
  { type: 'outcomeMeta' },
];
/** About an account, besides its state on each dex. */
const ACCOUNT_REQUESTS = ['userAbstraction', 'spotClearinghouseState', 'userVaultEquities', 'delegatorSummary'];
const REQUESTS_AT_START = [...LISTS, { type: 'allMids' }];

/** Channels whose frames others contain. */
const CONTAINED_IN_OTHERS = ['bbo', 'l2Book.fast', 'activeAssetCtx', 'assetCtxs'];

export function recordVenueA({
  world,
  startMs,
  earlierBars,
  accountFills,
  accountStates,
  now,
  line,
}: RecorderContext): VenueRecorder {
  const markets = createMarkets(world);
  const info = createInfo(world, markets);
  const accounts = createAccounts(world);
  const record = async (body: Readonly<Record<string, unknown>>, atMs: number) => {
    const { status, text } = await info(body, atMs);
    if (status === 200) line('venue_a.info', atMs, answerLine('venue_a.info', atMs, body, text));
  };
  /** Records the leaderboard, unless the world has no traders. */
  const recordLeaderboard = (atMs: number) => {
    if (world.traders === 0) return;
    const text = leaderboardText(world.settings.seed, world.traders, atMs);
    line('venue_a.stats', atMs, answerLine('venue_a.stats', atMs, LEADERBOARD_REQUEST, text));
  };
  /** Records the fills of a block, as a node without blocks writes them. */
  const recordFills = (blockMs: number) => {
    for (const event of accounts.fillsAt(blockMs))
      line('venue_a.node_fills', now(), frameLine('venue_a.node_fills', now(), JSON.stringify(event)));
  };
  /** Records the 5-minute bars of every perp and contract of the UTC day before. */
  const recordEarlierBars = async () => {
    const endTime = Math.floor(startMs / DAY_MS) * DAY_MS - 1;
    for (const { coin } of world.ladders.listed(startMs).filter((ladder) => ladder.kind !== 'spot'))
      await record(
        { type: 'candleSnapshot', req: { coin, interval: '5m', startTime: endTime + 1 - DAY_MS, endTime } },
        startMs,
      );
  };
  /** Records the fills of accounts as they are loaded when an account is bound. */
  const recordAccountFills = async () => {
    for (const user of world.population.accounts.slice(0, accountFills))
      for (const list of FILL_LISTS) await record(fillRequest(list, user, 0), startMs);
  };
  /** Records the file of the first builder's fills of the UTC day before, as it is loaded when a builder is registered. */
  const recordBuilderFile = () => {
    const day = Math.floor(startMs / DAY_MS) * DAY_MS - DAY_MS;
    const request = builderFileRequest({ builder: builderAddresses(world)[0]!, day });
    const answer = answerBuilderFile(world, accounts, { path: request.slice('GET '.length) }, startMs);
    if (!answer?.bytes) return;
    const text = builderFileText({ file: answer.bytes, etag: null });
    line('venue_a.builder_fills', startMs, answerLine('venue_a.builder_fills', startMs, request, text));
  };
  /** Records what the venue states about every account. */
  const recordAccounts = async () => {
    const dexes = world.ladders.dexNames(now());
    for (const user of world.population.accounts) {
      for (const type of ACCOUNT_REQUESTS) await record({ type, user }, now());
      for (const dex of dexes)
        await record({ type: 'clearinghouseState', user, ...(dex === '' ? {} : { dex }) }, now());
      await record(ledgerUpdatesRequest(user, 0), now());
    }
  };
  const publisher: FramePublisher = {
    // Best prices and five-level books are contained in the full books, contexts of a coin or a dex in those of all.
    wants: (topic) => !CONTAINED_IN_OTHERS.some((channel) => topic.startsWith(`${channel} `)),
    publish: (_topic, text) => line('venue_a.ws', now(), frameLine('venue_a.ws', now(), text)),
    candleIntervals: () => [],
    users: () => new Set(),
  };
  return {
    feeds: [createVenueAFeed(world, markets, accounts, publisher)],
    async atStart() {
      for (const body of REQUESTS_AT_START) await record(body, startMs);
      if (earlierBars) await recordEarlierBars();
      await recordAccountFills();
      if (accountFills > 0) recordBuilderFile();
      recordLeaderboard(startMs);
    },
    /** Records fills; and the leaderboard, the new lists, the states of accounts and the results of expired questions, after the first results of an hour are known. */
    async afterStep(fromMs) {
      if (fromMs % BLOCK_MS === 0) recordFills(fromMs);
      if (fromMs % HOUR_MS !== ANSWERS_AFTER_HOUR_MS) return;
      recordLeaderboard(now());
      for (const body of LISTS) await record(body, now());
      if (accountStates) await recordAccounts();
      for (const question of world.venueA.expiringAt(fromMs - ANSWERS_AFTER_HOUR_MS)) {
        const outcome = outcomeNumber(question, world.venueA.slots.length);
        await record({ type: 'settledOutcome', outcome }, now());
      }
    },
  };
}
