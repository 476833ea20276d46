/**
 * What the venue and the chain state about an account of the simulated venue_b: its positions and their value (venue page,
 * section 4), and its collateral. All of it follows from what the account did on the chain.
 */
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { hashOf, STREAM } from '../../world/hash.ts';
import { yesProbability } from '../../world/question-book.ts';
import { questionTexts } from '../../world/question-texts.ts';
import type { World } from '../../world/world.ts';
import type { AccountHistory, MarketHolding } from './account-history.ts';
import { blockTime } from './blocks.ts';
import { depositedIn } from './collateral-flows.ts';
import { type Answer, ok } from './gamma.ts';
import type { MarketBoard } from './market-board.ts';

const PAGE = { fallback: 100, most: 500 };
const UNIT = 1_000_000;
/**
 * What an account has before it trades, USD for each event a second of the world: more than it ever spends on markets that
 * are not redeemed.
 */
const START_PER_RATE = 20_000;

/** Answers are calculated as of a block. */
export interface Holdings {
  /** Answers `/positions`. */
  positions(query: URLSearchParams, head: number): Generator<void, Answer>;
  /** Answers `/value`: positions only. */
  value(query: URLSearchParams, head: number): Generator<void, Answer>;
  /** Units of a token that an account has on chain. */
  balanceOf(token: string, address: string, head: number): Generator<void, bigint>;
}

export function createHoldings(world: World, board: MarketBoard, history: Pick<AccountHistory, 'holdings'>): Holdings {
  const { seed, rate } = world.settings;
  const draw = (account: number, salt: number, below: number) =>
    hashOf(seed, STREAM.account, account * 64 + salt) % below;
  const accountOf = (query: URLSearchParams) => world.population.indexOf(query.get('user') ?? '');

  /** A row for each token of which the account has some. */
  function* rowsOf(account: number | null, head: number) {
    if (account === null) return [];
    const holdings = yield* history.holdings(world.population.accounts[account]!, head);
    return holdings.flatMap((holding) =>
      ([0, 1] as const).flatMap((side) => (holding.tokens[side] > 0 ? [rowOf(account, holding, side, head)] : [])),
    );
  }
  const rowOf = (account: number, { question, tokens, bought, spent }: MarketHolding, side: 0 | 1, head: number) => {
    const ids = world.idsOf(question);
    const size = tokens[side] / UNIT;
    const isSettled = question.settledAtMs <= blockTime(head);
    const thousandths = priceOf(world, board, question, side, blockTime(head));
    const average = Math.round((10_000 * spent[side]) / bought[side]) / 10_000;
    const currentValue = rounded((size * thousandths) / 1_000);
    const initialValue = rounded(size * average);
    const cashPnl = rounded(currentValue - initialValue);
    return {
      proxyWallet: world.population.accounts[account]!,
      asset: ids.tokenIds[side],
      conditionId: ids.conditionId,
      size,
      avgPrice: average,
      initialValue,
      currentValue,
      cashPnl,
      percentPnl: rounded((100 * cashPnl) / initialValue),
      totalBought: bought[side] / UNIT,
      realizedPnl: 0,
      percentRealizedPnl: 0,
      curPrice: thousandths / 1_000,
      redeemable: isSettled,
      mergeable: !isSettled && tokens[1 - side]! > 0,
      title: questionTexts(question).question,
      slug: ids.slug,
      icon: '',
      eventId: ids.marketId,
      eventSlug: ids.slug,
      outcome: side === 0 ? 'Yes' : 'No',
      outcomeIndex: side,
      oppositeOutcome: side === 0 ? 'No' : 'Yes',
      oppositeAsset: ids.tokenIds[1 - side]!,
      endDate: new Date(question.expiresAtMs).toISOString().slice(0, 10),
      negativeRisk: false,
    };
  };

  return {
    *positions(query, head) {
      const limit = Math.min(PAGE.most, Number(query.get('limit') ?? PAGE.fallback));
      const offset = Number(query.get('offset') ?? 0);
      const threshold = Number(query.get('sizeThreshold') ?? 1);
      const rows = (yield* rowsOf(accountOf(query), head)).filter(({ size }) => size >= threshold);
      return ok(rows.slice(offset, offset + limit));
    },
    *value(query, head) {
      const rows = yield* rowsOf(accountOf(query), head);
      return ok([
        {
          user: query.get('user') ?? '',
          value: rounded(rows.reduce((sum, { currentValue }) => sum + currentValue, 0)),
        },
      ]);
    },
    *balanceOf(token, address, head) {
      const account = world.population.indexOf(address);
      if (account === null) return 0n;
      // Few accounts still hold the older collateral.
      if (token === COLLATERAL_TOKENS.usdcE) return account % 4 === 0 ? BigInt(draw(account, 61, 50_000_000)) : 0n;
      if (token !== COLLATERAL_TOKENS.pUsd) return 0n;
      const holdings = yield* history.holdings(world.population.accounts[account]!, head);
      const start = rate * START_PER_RATE * UNIT + draw(account, 60, 4_000_000_000) + depositedIn(world, account, head);
      return BigInt(holdings.reduce((sum, { cash }) => sum + cash, start));
    },
  };
}

/** The price of a token in thousandths of a dollar: after the result what it pays. */
export function priceOf(
  world: World,
  board: MarketBoard,
  question: MarketHolding['question'],
  side: 0 | 1,
  atMs: number,
): number {
  if (question.settledAtMs <= atMs) return board.isYes(question) === (side === 0) ? 1_000 : 0;
  const yes = Math.round(
    yesProbability(world.settings.seed, question, Math.min(atMs, question.expiresAtMs - 1)) * 1_000,
  );
  return side === 0 ? yes : 1_000 - yes;
}

/** The venue states amounts with four decimals. */
const rounded = (value: number) => Number(value.toFixed(4));
