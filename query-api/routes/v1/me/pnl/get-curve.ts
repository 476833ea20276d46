import { z } from 'zod';
import type { Wallet } from '#schemas/domain/control/state';
import { type Decimal, toNumber, ZERO } from '#schemas/domain/decimal';
import { clampedInteger } from '#schemas/http/parameters';
import { pnlTotalSchema } from '#schemas/http/pnl';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { sumOfBooks, UNKNOWN } from '../../../../pnl/figures.ts';
import { toTotal } from '../../../../pnl/records.ts';
import { knownWallets } from '../../../../queries/known-wallets.ts';
import { type Moment, readRealized } from '../../../../queries/read-realized.ts';
import { readWalletBooks } from '../../../../queries/read-wallet-books.ts';
import { ledgersOf, selectWalletsOf } from '../../../../queries/select-wallets.ts';
import { defineCallerRoute } from '../../../route.ts';
import { walletSelection } from '../wallet-selection.ts';

const DAY_MS = 86_400_000;

export const getPnlCurve = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/pnl/curve',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'What the bound wallets realized since the start of the window, by the time of the venue.',
  params: z.object({}),
  query: z.object({ days: clampedInteger({ min: 1, max: 30, fallback: 7 }), ...walletSelection }),
  response: z.object({
    total: pnlTotalSchema.describe('Of all selected wallets; what is realized, traded and paid counts in the window.'),
    curve: z
      .array(
        z.object({
          ts: isoTimeSchema.describe('A moment at which lots were closed; the first and the last are the window.'),
          cumulativeRealized: z.number().describe('Realized from the start of the window up to here.'),
        }),
      )
      .describe('Oldest first.'),
    window: z
      .object({
        from: isoTimeSchema.describe('Start, inclusive.'),
        to: isoTimeSchema.describe('End: now.'),
        days: z.number().int().describe('Its length.'),
      })
      .describe('The period of the curve.'),
  }),
  async handle({ query, caller }, { control, views, store }) {
    const { days } = query;
    const to = views.events.now ?? Date.now();
    const window = { from: to - days * DAY_MS, to };
    const wallets = selectWalletsOf(control.state, caller, query);
    const { known, complete } = await knownWallets(views, wallets);
    const isKnown = (wallet: Wallet) => known.has(wallet);
    const areKnown = wallets.length === 0 || wallets.some(isKnown);
    const counted = { by: 'ts', from: window.from, before: to + 1, asOf: null } as const;
    const [{ books, agrees }, moments] = await Promise.all([
      readWalletBooks(store, views, [...known], counted, query.provider),
      readRealized(store, ledgersOf(views.ledgers, [...known], query.provider), window),
    ]);
    return {
      total: toTotal(
        { books, figures: areKnown ? sumOfBooks(books) : UNKNOWN },
        wallets.every((wallet) => complete.has(wallet) && agrees(wallet)),
      ),
      curve: areKnown ? curveOf(moments, window) : [],
      window: { from: isoTime(window.from), to: isoTime(window.to), days },
    };
  },
});

function curveOf(moments: readonly Moment[], { from, to }: { from: number; to: number }) {
  let sum = 0n;
  const points = moments.map(({ ts, realized }) => {
    sum += realized;
    return { ts: isoTime(ts), cumulativeRealized: toNumber(sum as Decimal) };
  });
  return [
    { ts: isoTime(from), cumulativeRealized: toNumber(ZERO) },
    ...points,
    { ts: isoTime(to), cumulativeRealized: toNumber(sum as Decimal) },
  ];
}
