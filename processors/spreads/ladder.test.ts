/** The ladder that REST calculates has the figures of the stage's own records, since both walk the same way. */
import { expect, it } from 'vitest';
import { FEE_MODELS } from '#schemas/domain/arbitrage/fee-models';
import { type LadderQuote, ladderOf } from '#schemas/domain/arbitrage/ladder';
import { bookSideOf } from '#schemas/domain/arbitrage/pair';
import type { SidePair } from '#schemas/domain/arbitrage/profit-sizes';
import { applyBookUpdate, createBook } from '#schemas/domain/book';
import { type Decimal, formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import type { Arbitrage, EventLink } from '#schemas/topics/derived';
import { driveSpreads, event, type Levels, levels, link } from './spreads.fixture.ts';
import { createSpreadsStage } from './stage.ts';

type Books = ReadonlyMap<string, { readonly bids: Levels; readonly asks: Levels }>;

/** The half of a pair as REST builds it: the side of the market's book with its fee. */
function sideOf(one: EventLink, books: Books, kind: SidePair['kind'], isFirst: boolean) {
  const { token, side, mirrored } = bookSideOf(kind, isFirst, one.polarity === 'inverse');
  const { bids, asks } = books.get(token === 'yes' ? one.yesInstrument : one.noInstrument!)!;
  const book = createBook();
  applyBookUpdate(book, { snapshot: true, bids: levels(bids), asks: levels(asks) });
  const model = FEE_MODELS.find(({ provider }) => provider === one.provider)!;
  return { levels: book[side], model, rate: parseDecimal(one.takerFeeRate!), mirrored };
}

function fieldsOf(quote: LadderQuote) {
  const { profit: _, ...fields } = quote;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, formatDecimal(value as Decimal)]));
}

it('has the figures of the record to the last digit, for both kinds and all polarities', () => {
  let seed = 1;
  const below = (n: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * n);
  };
  const size = '33.3';
  let [compared, profitable] = [0, 0];
  for (let nth = 0; nth < 400; nth += 1) {
    const polarity = () => (below(3) === 0 ? 'inverse' : 'same') as EventLink['polarity'];
    const links = [
      link('venue_a_outcome', { polarity: polarity() }),
      link('venue_b', { polarity: polarity(), takerFeeRate: ['0', '0.05', '0.07'][below(3)]! }),
    ];
    const all = driveSpreads(createSpreadsStage({ arbitrageSize: size }));
    all.link(event({ links }));
    const books: Books = new Map(
      ['#70', '#71', 'b-yes', 'b-no'].map((name) => {
        const side = (isBid: boolean) =>
          Array.from({ length: 3 }, (_, at) => {
            const thousandths = (isBid ? 505 : 495) + (isBid ? -1 : 1) * (at * 20 + below(20));
            return [`0.${thousandths}`, `${5 + below(30)}.${below(9)}`] as const;
          });
        return [name, { bids: side(true), asks: side(false) }];
      }),
    );
    for (const [name, { bids, asks }] of books) {
      all.book(name, 1000, bids, asks);
      all.status(name, 1000);
    }
    // The last record of each kind: a tick repeats those above zero, and a changed book of no level the others.
    const heads = new Map<string, Arbitrage>();
    for (const name of books.keys()) {
      const { bids, asks } = books.get(name)!;
      const { arbitrageHeads } = all.book(name, 2000, [], []);
      for (const { key, value } of [...arbitrageHeads, ...all.book(name, 2000, bids, asks).arbitrageHeads])
        if (value === null) heads.delete(key);
        else heads.set(key, value as Arbitrage);
    }
    for (const kind of ['cross_provider', 'negation_pair'] as const) {
      const pairs = links.flatMap((buy) =>
        links
          .filter((sell) => sell !== buy)
          .map((sell) => ({
            kind,
            markets: [buy.providerMarketId, sell.providerMarketId],
            first: sideOf(buy, books, kind, true),
            second: sideOf(sell, books, kind, false),
          })),
      );
      const record = heads.get(`evt_1:${kind}`);
      const ofRecord = pairs.filter(
        ({ markets }) => markets[0] === record?.firstMarketId && markets[1] === record?.secondMarketId,
      );
      const sizes = [parseDecimal(size)];
      if (record === undefined) {
        for (const pair of pairs) expect(ladderOf([pair], sizes, sizes)!.rows[0]!.quote).toBeNull();
        continue;
      }
      const { grossEdge, netEdge, firstPrice, firstFee, secondPrice, secondFee } = record;
      const { rows } = ladderOf(ofRecord, sizes, sizes)!;
      expect(fieldsOf(rows[0]!.quote!)).toEqual({ grossEdge, netEdge, firstPrice, firstFee, secondPrice, secondFee });
      const chosen = ladderOf(pairs, sizes, sizes)!;
      // Without a profitable size the pair is the one that the stage selects.
      if (chosen.bestSize === null) expect(chosen.pair).toBe(ofRecord[0]);
      else profitable += 1;
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(500);
  expect(profitable).toBeGreaterThan(50);
});
