/**
 * What an account of the simulated venue_a has besides its positions: its mode, spot balances, vaults and stakes (venue
 * page, sections 3.2 and 6). All of it follows from the seed, the number of the account and the time.
 */
import { ACCOUNT_MODES, type AccountMode, isUnified } from '#schemas/domain/accounts/venue-a-account';
import { hashOf, STREAM } from '../../world/hash.ts';
import { amountText } from '../../world/number-text.ts';
import { yesProbability } from '../../world/question-book.ts';
import type { World } from '../../world/world.ts';
import { markText } from './contexts.ts';
import { outcomeNumber } from './market.ts';

/** Every so many accounts hold a token without a pair, so that they have no value. */
const UNPRICED_EACH = 50;
const UNPRICED_TOKEN = 999;
const VAULT = `0x${'fa'.repeat(20)}`;

/** The cash of an account, and what its perpetuals need and earn, in USDC. */
export interface PerpFigures {
  readonly cash: number;
  readonly pnl: number;
  readonly margin: number;
}

interface Balance {
  readonly coin: string;
  /** Missing for outcomes. */
  readonly token?: number;
  readonly total: string;
  readonly hold: string;
  readonly entryNtl: string;
}

export interface Holdings {
  mode(account: number): AccountMode;
  /** USDC that an account began with. */
  start(account: number): number;
  balances(account: number, perps: PerpFigures, atMs: number): readonly Balance[];
  vaults(account: number): readonly { readonly equity: string }[];
  staked(account: number): Readonly<typeof NOTHING_STAKED>;
  /** USD of the spot balances, the vaults and the stakes; what has no price counts nothing. */
  usd(account: number, perps: PerpFigures, atMs: number): number;
}

export const NOTHING_STAKED = {
  delegated: '0.0',
  undelegated: '0.0',
  totalPendingWithdrawal: '0.0',
  nPendingWithdrawals: 0,
};

export function createHoldings(world: World): Holdings {
  const { seed } = world.settings;
  /** A whole number below `below`. */
  const draw = (account: number, salt: number, below: number) =>
    hashOf(seed, STREAM.account, account * 64 + salt, 0) % below;
  const mode = (account: number) => ACCOUNT_MODES[account % ACCOUNT_MODES.length]!;
  const start = (account: number) => 10_000 + draw(account, 12, 90_000);

  /** A standard account also has a tenth of what it began with in spot. In the other modes spot holds all equity of the perpetuals. */
  const usdc = (account: number, { cash, pnl, margin }: PerpFigures) =>
    isUnified(mode(account))
      ? { total: amountText(cash + pnl, 6), hold: amountText(margin, 6) }
      : { total: amountText(start(account) / 10, 2), hold: '0.0' };
  const questionOf = (account: number, atMs: number) =>
    world.venueA.liveIn(draw(account, 20, world.venueA.slots.length), atMs);
  /** One side of the live outcome of a slot. */
  const outcomeOf = (account: number, atMs: number): string => {
    const { slots } = world.venueA;
    return `+${outcomeNumber(questionOf(account, atMs), slots.length) * 10 + draw(account, 21, 2)}`;
  };

  const markOf = (pair: string, atMs: number) =>
    Number(markText(seed, world.ladders.permanent.find(({ coin }) => coin === pair)!, atMs));
  const priceOf = (account: number, coin: string, atMs: number): number => {
    if (coin === 'USDC') return 1;
    if (coin === 'HYPE') return markOf('@107', atMs);
    if (coin === 'UBTC') return markOf('@142', atMs);
    if (!coin.startsWith('+')) return 0;
    const question = questionOf(account, atMs);
    const yes = yesProbability(seed, question, Math.min(atMs, question.expiresAtMs - 1));
    return coin.endsWith('0') ? yes : 1 - yes;
  };
  const holdings: Holdings = {
    mode,
    start,
    usd(account, perps, atMs) {
      const ofBalance = ({ coin, total }: Balance) => Number(total) * priceOf(account, coin, atMs);
      const spot = holdings.balances(account, perps, atMs).reduce((sum, balance) => sum + ofBalance(balance), 0);
      const { delegated, undelegated, totalPendingWithdrawal } = holdings.staked(account);
      const staked = Number(delegated) + Number(undelegated) + Number(totalPendingWithdrawal);
      const owned = spot + staked * priceOf(account, 'HYPE', atMs);
      return holdings.vaults(account).reduce((sum, { equity }) => sum + Number(equity), owned);
    },
    balances(account, perps, atMs) {
      const balances: Balance[] = [{ coin: 'USDC', token: 0, ...usdc(account, perps), entryNtl: '0.0' }];
      const add = (coin: string, token: number | null, total: string) => {
        const balance = { coin, ...(token === null ? {} : { token }), total, hold: '0.0', entryNtl: '0.0' };
        balances.push(balance);
      };
      if (account % 2 === 0) add('HYPE', 150, amountText(draw(account, 22, 90_000) / 100, 2));
      // What portfolio margin borrows is a negative balance.
      if (account % 3 === 0) {
        const owed = mode(account) === 'portfolioMargin' ? -1 : 1;
        add('UBTC', 197, amountText((owed * draw(account, 23, 10_000)) / 100_000, 5));
      }
      if (account % 4 === 1 && world.venueA.slots.length > 0) add(outcomeOf(account, atMs), null, '25.5');
      if (account % UNPRICED_EACH === UNPRICED_EACH - 1) add('VOID', UNPRICED_TOKEN, '1.0');
      return balances;
    },
    vaults: (account) =>
      account % 3 === 1
        ? [{ vaultAddress: VAULT, equity: amountText(draw(account, 24, 500_000) / 100, 2), lockedUntilTimestamp: 0 }]
        : [],
    staked(account) {
      if (account % 5 !== 1) return NOTHING_STAKED;
      const delegated = amountText(draw(account, 25, 100_000) / 1_000, 3);
      return {
        ...NOTHING_STAKED,
        delegated,
        undelegated: '1.5',
        totalPendingWithdrawal: '0.25',
        nPendingWithdrawals: 1,
      };
    },
  };
  return holdings;
}
