import { POSITIONS_PAGE } from '#schemas/domain/accounts/venue-b-value';
import { balanceCall } from '#schemas/venues/venue-b/balance-call';
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import {
  ANSWERS_AFTER_HOUR_MS,
  answerLine,
  frameLine,
  type RecorderContext,
  type VenueRecorder,
} from '../../recording/venue-recorder.ts';
import { STEP_MS } from '../../simulation.ts';
import { runAtOnce } from '../../turns.ts';
import type { Question } from '../../world/questions.ts';
import { HOUR_MS, SECOND_MS } from '../../world/time.ts';
import { createAccountHistory } from './account-history.ts';
import { createCatalog } from './catalog.ts';
import { type Block, createChain } from './chain.ts';
import { createChainFeed } from './chain-feed.ts';
import { createClob } from './clob.ts';
import { createVenueBFeed, type MarketPublisher } from './feed.ts';
import { createGamma } from './gamma.ts';
import { createHoldings } from './holdings.ts';
import { createMarketBoard } from './market-board.ts';
import { logText, shortHeadText } from './rpc-text.ts';

const PAGE = 100;

export function recordVenueB({ world, startMs, accountStates, now, line }: RecorderContext): VenueRecorder {
  const board = createMarketBoard(world);
  const catalog = createCatalog(world, board);
  const gamma = createGamma(board, catalog);
  const clob = createClob(world, board);
  const frame = (text: string) => line('venue_b.clob_ws', now(), frameLine('venue_b.clob_ws', now(), text));

  const recordGamma = (path: string, atMs: number) => {
    const url = new URL(path, 'http://gamma');
    const { status, text } = gamma(url.pathname, url.searchParams, atMs);
    if (status === 200) line('venue_b.gamma', atMs, answerLine('venue_b.gamma', atMs, `GET ${path}`, text));
    return text;
  };
  const recordPages = (collection: 'events' | 'markets', atMs: number) => {
    let cursor: string | undefined;
    do {
      const after = cursor === undefined ? '' : `&after_cursor=${cursor}`;
      const text = recordGamma(`/${collection}/keyset?limit=${PAGE}&closed=false${after}`, atMs);
      cursor = (JSON.parse(text) as { next_cursor?: string }).next_cursor;
    } while (cursor !== undefined);
  };
  const recordMarket = (question: Question, atMs: number) => {
    const { conditionId } = world.idsOf(question);
    const { status, text } = clob.get(`/markets/${conditionId}`, new URLSearchParams(), atMs);
    if (status === 200)
      line('venue_b.clob', atMs, answerLine('venue_b.clob', atMs, `GET /markets/${conditionId}`, text));
  };

  const recordFrame = (_id: string, text: string) => frame(text);
  const publisher: MarketPublisher = {
    wants: () => true,
    wantsCustom: () => true,
    toMarket: recordFrame,
    toToken: recordFrame,
    toTokenCustom: recordFrame,
    toCustom: frame,
  };
  const blocks = (_removed: readonly Block[], added: readonly Block[]) => {
    for (const block of added) {
      const begin = `{"at":${now()},"source":"venue_b.rpc",`;
      line('venue_b.rpc', now(), `${begin}"block":${shortHeadText(block)}}`);
      for (const log of block.logs) line('venue_b.rpc', now(), `${begin}"log":${logText(block, log, false)}}`);
    }
  };
  const feed = createVenueBFeed(world, board, catalog, publisher);
  const chain = createChain(world, board, { spontaneousReorgs: false });
  const holdings = createHoldings(world, board, createAccountHistory(world, board, chain));
  /** Records the books that a new subscriber receives immediately. */
  const recordBooks = (questions: readonly Question[], atMs: number) => {
    for (const question of questions) {
      for (const token of [0, 1] as const) {
        const text = feed.bookFrameAt(board.listed(question), token, atMs);
        if (text) frame(text);
      }
    }
  };

  /** Records what the venue and its chain state about every account. */
  const recordAccounts = (atMs: number) => {
    const block = chain.headAt(atMs);
    for (const user of world.population.accounts) {
      const query = `user=${user}&sizeThreshold=0&limit=${POSITIONS_PAGE}&offset=0`;
      const { text } = runAtOnce(holdings.positions(new URLSearchParams(query), block));
      line('venue_b.data', atMs, answerLine('venue_b.data', atMs, `GET /positions?${query}`, text));
      for (const token of Object.values(COLLATERAL_TOKENS)) {
        const units = runAtOnce(holdings.balanceOf(token, user, block));
        const result = `"0x${units.toString(16).padStart(64, '0')}"`;
        line('venue_b.call', atMs, answerLine('venue_b.call', atMs, { ...balanceCall(token, user), block }, result));
      }
    }
  };

  return {
    feeds: [feed, createChainFeed(chain, blocks)],
    atStart() {
      recordPages('events', startMs);
      recordPages('markets', startMs);
      for (const { index } of world.venueB.slots) recordMarket(world.venueB.liveIn(index, startMs), startMs);
      recordBooks(
        world.venueB.slots.map(({ index }) => world.venueB.liveIn(index, startMs - 1)),
        startMs - 1,
      );
    },
    afterStep(fromMs) {
      const intoHourMs = fromMs % HOUR_MS;
      if (intoHourMs === 0 && fromMs > startMs) recordBooks(world.venueB.createdAt(fromMs), fromMs + STEP_MS - 1);
      // A question may be resolved later than others of its hour.
      if (intoHourMs > ANSWERS_AFTER_HOUR_MS && fromMs % SECOND_MS === 0)
        for (const question of world.venueB.settledIn(fromMs, fromMs + SECOND_MS)) recordMarket(question, now());
      if (intoHourMs !== ANSWERS_AFTER_HOUR_MS) return;
      recordPages('events', now());
      recordPages('markets', now());
      if (accountStates) recordAccounts(now());
      for (const question of world.venueB.expiringAt(fromMs - ANSWERS_AFTER_HOUR_MS)) {
        recordMarket(question, now());
        recordMarket(world.venueB.liveIn(question.slot.index, now()), now());
      }
    },
  };
}
