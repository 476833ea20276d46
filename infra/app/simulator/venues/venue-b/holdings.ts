/**
 * What an account of the simulated venue_b holds: tokens of live questions, and cash on chain (venue page, section 4). All
 * of it follows from the seed, the number of the account and the time.
 */
import { COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { hashOf, STREAM } from '../../world/hash.ts';
import { yesProbability } from '../../world/question-book.ts';
import { questionTexts } from '../../world/question-texts.ts';
import type { World } from '../../world/world.ts';
import { type Answer, ok } from './gamma.ts';

const PAGE = { fallback: 100, most: 500 };
/** Most tokens of an account; every such account has none. */
const TOKENS = 5;

export interface Holdings {
  /** Answers `/positions`. */
  positions(query: URLSearchParams, atMs: number): Answer;
  /** Answers `/value`: positions only. */
  value(query: URLSearchParams, atMs: number): Answer;
  /** Units of a token that an account has on chain. */
  balanceOf(token: string, address: string): bigint;
}

export function createHoldings(world: World): Holdings {
  const { seed } = world.settings;
  const draw = (account: number, salt: number, generation: number, below: number) =>
    hashOf(seed, STREAM.account, account * 64 + salt, generation) % below;
  const accountOf = (query: URLSearchParams) => world.population.indexOf(query.get('user') ?? '');

  /** Rows of an account, one for each slot at most. */
  const rowsOf = (account: number | null, atMs: number) => {
    if (account === null) return [];
    const { slots } = world.venueB;
    const chosen = new Set(
      Array.from({ length: Math.min(account % (TOKENS + 1), slots.length) }, (_, nth) =>
        draw(account, 40 + nth, 0, slots.length),
      ),
    );
    return [...chosen].map((slot) => rowOf(account, slot, atMs));
  };
  const rowOf = (account: number, slot: number, atMs: number) => {
    const question = world.venueB.liveIn(slot, atMs);
    const ids = world.idsOf(question);
    const outcomeIndex = draw(account, 50, question.generation, 2);
    const yes = Math.round(yesProbability(seed, question, Math.min(atMs, question.expiresAtMs - 1)) * 1_000);
    const thousandths = outcomeIndex === 0 ? yes : 1_000 - yes;
    const size = (1 + draw(account, 51, question.generation + slot, 500_000)) / 100;
    const average = 100 + draw(account, 52, question.generation, 800);
    const currentValue = Number(((size * thousandths) / 1_000).toFixed(4));
    const initialValue = Number(((size * average) / 1_000).toFixed(4));
    const cashPnl = Number((currentValue - initialValue).toFixed(4));
    return {
      proxyWallet: world.population.accounts[account]!,
      asset: ids.tokenIds[outcomeIndex]!,
      conditionId: ids.conditionId,
      size,
      avgPrice: average / 1_000,
      initialValue,
      currentValue,
      cashPnl,
      percentPnl: Number(((100 * cashPnl) / initialValue).toFixed(4)),
      totalBought: size,
      realizedPnl: 0,
      percentRealizedPnl: 0,
      curPrice: thousandths / 1_000,
      redeemable: false,
      mergeable: false,
      title: questionTexts(question).question,
      slug: ids.slug,
      icon: '',
      eventId: ids.marketId,
      eventSlug: ids.slug,
      outcome: outcomeIndex === 0 ? 'Yes' : 'No',
      outcomeIndex,
      oppositeOutcome: outcomeIndex === 0 ? 'No' : 'Yes',
      oppositeAsset: ids.tokenIds[1 - outcomeIndex]!,
      endDate: new Date(question.expiresAtMs).toISOString().slice(0, 10),
      negativeRisk: false,
    };
  };

  return {
    positions(query, atMs) {
      const limit = Math.min(PAGE.most, Number(query.get('limit') ?? PAGE.fallback));
      const offset = Number(query.get('offset') ?? 0);
      const threshold = Number(query.get('sizeThreshold') ?? 1);
      const rows = rowsOf(accountOf(query), atMs).filter(({ size }) => size >= threshold);
      return ok(rows.slice(offset, offset + limit));
    },
    value(query, atMs) {
      const value = rowsOf(accountOf(query), atMs).reduce((sum, { currentValue }) => sum + currentValue, 0);
      return ok([{ user: query.get('user') ?? '', value }]);
    },
    balanceOf(token, address) {
      const account = world.population.indexOf(address);
      if (account === null) return 0n;
      if (token === COLLATERAL_TOKENS.pUsd) return BigInt(draw(account, 60, 0, 4_000_000_000));
      // Few accounts still hold the older collateral.
      return token === COLLATERAL_TOKENS.usdcE && account % 4 === 0 ? BigInt(draw(account, 61, 0, 50_000_000)) : 0n;
    },
  };
}
