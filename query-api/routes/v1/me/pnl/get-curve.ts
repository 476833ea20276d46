import { z } from 'zod';
import { type Decimal, toNumber, ZERO } from '#schemas/domain/decimal';
import { unrealizedOf } from '#schemas/domain/ledger/unrealized';
import { coverageField } from '#schemas/http/ledger-book';
import { clampedInteger } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { readMarks } from '../../../../queries/read-marks.ts';
import { type Realized, readRealized, sumOf } from '../../../../queries/read-realized.ts';
import { ledgerOf, ledgersOf, selectWalletsOf } from '../../../../queries/select-wallets.ts';
import { defineCallerRoute } from '../../../route.ts';
import { walletSelection } from '../wallet-selection.ts';

const DAY_MS = 86_400_000;
/** The venue whose accounts have ledgers so far is a provider itself. */
const PROVIDER = 'venue_b';

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
    total: z
      .object({
        realized: z.number().nullable().describe('Realized in the window; null if it is not known of any wallet.'),
        unrealized: z.number().nullable().describe('What the open lots would realize now; null without any mark.'),
        totalNotional: z
          .number()
          .nullable()
          .describe('Price times quantity of the fills in the window; null like `realized`.'),
        unpriced: z.number().int().describe('Open books without a mark, which `unrealized` leaves out.'),
        fees: z.number().nullable().describe('USD; null if a fee in the window is unknown.'),
        coverage: coverageField,
      })
      .describe('Of all selected wallets.'),
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
    const ledgers = ledgersOf(views.ledgers, wallets);
    const realized = await readRealized(store, ledgers, window);
    const instruments = new Set(realized.books.map(({ instrument }) => instrument));
    const marks = await readMarks(store, views, PROVIDER, instruments);
    const isKnown = ledgers.length > 0 || wallets.length === 0;
    const isPartial = realized.events > 0 || wallets.some((wallet) => !ledgerOf(views.ledgers, wallet));
    return {
      total: {
        realized: isKnown ? toNumber(sumOf(realized.moments)) : null,
        unrealized: isKnown ? unrealizedAt(realized.books, marks) : null,
        totalNotional: isKnown ? toNumber(realized.totalNotional) : null,
        unpriced: realized.books.filter(({ instrument }) => !marks.has(instrument)).length,
        fees: isKnown && realized.fees !== null ? toNumber(realized.fees) : null,
        coverage: isPartial ? ('partial' as const) : ('complete' as const),
      },
      curve: isKnown ? curveOf(realized.moments, window) : [],
      window: { from: isoTime(window.from), to: isoTime(window.to), days },
    };
  },
});

function unrealizedAt(books: Realized['books'], marks: ReadonlyMap<string, Decimal>): number | null {
  const priced = books.filter(({ instrument }) => marks.has(instrument));
  if (books.length > 0 && priced.length === 0) return null;
  let sum = 0n;
  for (const { instrument, lots } of priced) sum += unrealizedOf(lots, marks.get(instrument)!);
  return toNumber(sum as Decimal);
}

function curveOf(moments: Realized['moments'], { from, to }: { from: number; to: number }) {
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
