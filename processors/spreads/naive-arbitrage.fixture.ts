/** Naive spreads and arbitrage with rational numbers and loops over everything, for comparison in tests. */
/** A rational number, independent of the code under test. */
export class Ratio {
  readonly n: bigint;
  readonly d: bigint;
  constructor(n: bigint, d = 1n) {
    this.n = n;
    this.d = d;
  }
  static of(text: string): Ratio {
    const [integer = '', fraction = ''] = text.split('.');
    return new Ratio(BigInt(integer + fraction), 10n ** BigInt(fraction.length));
  }
  plus(b: Ratio) {
    return new Ratio(this.n * b.d + b.n * this.d, this.d * b.d);
  }
  minus(b: Ratio) {
    return this.plus(new Ratio(-b.n, b.d));
  }
  times(b: Ratio) {
    return new Ratio(this.n * b.n, this.d * b.d);
  }
  over(b: Ratio) {
    return new Ratio(this.n * b.d, this.d * b.n);
  }
  below(b: Ratio) {
    return this.n * b.d < b.n * this.d;
  }
  /** Floors to a multiple of a unit. Only for numbers that are not negative. */
  floor(decimals: number) {
    const unit = 10n ** BigInt(decimals);
    return new Ratio((this.n * unit) / this.d, unit);
  }
  /** Returns canonical text, rounded half-even to 18 decimals. */
  text(): string {
    const negative = this.n < 0n;
    const top = (negative ? -this.n : this.n) * 10n ** 18n;
    let integer = top / this.d;
    const rest = (top % this.d) * 2n;
    if (rest > this.d || (rest === this.d && integer % 2n === 1n)) integer += 1n;
    const digits = integer.toString().padStart(19, '0');
    const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/0+$/, '').replace(/\.$/, '');
    return negative && integer > 0n ? `-${text}` : text;
  }
}
const ONE = new Ratio(1n);

/** Size by price, both as received. */
type Side = Map<string, string>;
/** A book as received so far. */
export interface PlainBook {
  bids: Side;
  asks: Side;
  /** Time of its last frame. */
  at: number | null;
  state: 'live' | 'recovering' | 'stale' | 'venue_down' | null;
}

/** Creates a book without data. */
export const emptyBook = (): PlainBook => ({ bids: new Map(), asks: new Map(), at: null, state: null });

/** A market with a used link. */
export interface PlainLeg {
  provider: 'venue_a_outcome' | 'venue_b';
  marketId: string;
  inverse: boolean;
  rate: string | null;
  yes: string;
  no: string;
  marketState: 'open' | 'closed' | 'resolved';
}

/** Returns the levels, best first; `flip` gives the prices of the other side of the question. */
function ladder(side: Side, rising: boolean, flip: boolean) {
  const levels = [...side].map(([price, size]) => ({ traded: Ratio.of(price), size: Ratio.of(size) }));
  levels.sort((a, b) => (a.traded.below(b.traded) === rising ? -1 : 1));
  return levels.map(({ traded, size }) => ({ traded, size, price: flip ? ONE.minus(traded) : traded }));
}

/** Returns the cost and fee of taking the size from the levels, in USD per share; null if there is less. */
function naiveWalk(leg: PlainLeg, levels: ReturnType<typeof ladder>, size: Ratio) {
  if (leg.rate === null) return null;
  let left = size;
  let cost = new Ratio(0n);
  let fee = new Ratio(0n);
  for (const level of levels) {
    if (left.n === 0n) break;
    const qty = level.size.below(left) ? level.size : left;
    cost = cost.plus(qty.times(level.price));
    const charged = Ratio.of(leg.rate).times(qty).times(level.traded);
    fee = fee.plus(leg.provider === 'venue_b' ? charged.times(ONE.minus(level.traded)).floor(5) : charged);
    left = left.minus(qty);
  }
  if (left.n !== 0n) return null;
  return { leg, best: levels[0]!.price, price: cost.over(size), fee: fee.over(size) };
}

const quotable = (book: PlainBook) => book.at !== null && book.state === 'live';

/** The arbitrage of one pair of legs, with rational numbers. */
export interface NaivePair {
  readonly kind: 'cross_provider' | 'negation_pair';
  readonly net: Ratio;
  /** The fields of a record without its times and causes. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Returns every pair that can be quoted, of both kinds and in both directions, in leg order. */
export function naivePairs(legs: readonly PlainLeg[], books: ReadonlyMap<string, PlainBook>, size: Ratio): NaivePair[] {
  const pairs: NaivePair[] = [];
  for (const kind of ['cross_provider', 'negation_pair'] as const) {
    for (const a of legs) {
      for (const b of legs) {
        if (a.provider === b.provider) continue;
        if (a.marketState !== 'open' || b.marketState !== 'open') continue;
        const isNegation = kind === 'negation_pair';
        const bookA = books.get(isNegation && a.inverse ? a.no : a.yes)!;
        const bookB = books.get(isNegation && !b.inverse ? b.no : b.yes)!;
        if (!quotable(bookA) || !quotable(bookB)) continue;
        const askLevels = ladder(bookA.asks, true, false);
        const buy = naiveWalk(a, a.inverse && !isNegation ? ladder(bookA.bids, false, true) : askLevels, size);
        const other = isNegation
          ? ladder(bookB.asks, true, false)
          : b.inverse
            ? ladder(bookB.asks, true, true)
            : ladder(bookB.bids, false, false);
        const second = naiveWalk(b, other, size);
        if (!buy || !second) continue;
        const fees = buy.fee.plus(second.fee);
        const cross = kind === 'cross_provider';
        const gross = cross ? second.best.minus(buy.best) : ONE.minus(buy.best).minus(second.best);
        const net = (cross ? second.price.minus(buy.price) : ONE.minus(buy.price).minus(second.price)).minus(fees);
        pairs.push({
          kind,
          net,
          fields: {
            grossEdge: gross.text(),
            netEdge: net.text(),
            firstProvider: a.provider,
            firstMarketId: a.marketId,
            firstPrice: buy.price.text(),
            firstFee: buy.fee.text(),
            secondProvider: b.provider,
            secondMarketId: b.marketId,
            secondPrice: second.price.text(),
            secondFee: second.fee.text(),
          },
        });
      }
    }
  }
  return pairs;
}

/** Returns the expected heads by key: for each kind the pair with the largest net edge, the first of equal ones. */
export function expectedHeads(universalId: string, pairs: readonly NaivePair[]) {
  const best = new Map<string, NaivePair>();
  for (const pair of pairs) {
    const key = `${universalId}:${pair.kind}`;
    const before = best.get(key);
    if (!before || before.net.below(pair.net)) best.set(key, pair);
  }
  return Object.fromEntries([...best].map(([key, { fields }]) => [key, fields]));
}

/** Returns the expected legs in the head of the spread. */
export function expectedLegs(legs: PlainLeg[], books: Map<string, PlainBook>) {
  return legs.map((leg) => {
    const book = leg.marketState === 'open' ? books.get(leg.yes)! : emptyBook();
    const bid = (leg.inverse ? ladder(book.asks, true, true) : ladder(book.bids, false, false))[0]?.price ?? null;
    const ask = (leg.inverse ? ladder(book.bids, false, true) : ladder(book.asks, true, false))[0]?.price ?? null;
    return {
      marketId: leg.marketId,
      yesBid: bid?.text() ?? null,
      yesAsk: ask?.text() ?? null,
      yesMid: bid && ask ? bid.plus(ask).over(new Ratio(2n)).text() : null,
      live: quotable(book),
      state: leg.marketState === 'open' ? book.state : leg.marketState,
    };
  });
}
