import { expect, it } from 'vitest';
import { MarketWatcher } from './market-watcher.ts';
import type { Subscription } from './subscriptions.ts';

/** A watcher of the two largest books, and how to read what it subscribes. */
function setUp(bookCoins = '2') {
  const requested = new Set<string>();
  let wanted: readonly Subscription[] = [];
  const warnings: object[] = [];
  let now = 0;
  const slots = {
    update(classes: readonly (readonly Subscription[])[]) {
      wanted = classes.flat();
    },
    subscriptions: () => [...wanted],
  };
  const watcher = new MarketWatcher({
    slots,
    bookCoins,
    logger: { warn: (fields: object) => void warnings.push(fields) },
    linked: () => new Set(),
    isHeld: () => false,
    users: () => [],
    requestedBooks: () => requested,
    now: () => now,
  });
  const coinsOf = (subscribed: string) =>
    wanted.flatMap(({ type, coin }) => (type === subscribed && coin ? [coin] : []));
  /** Lists these perps, the most traded first, and these pairs, 25 s or another time after the lists before. */
  const list = (perps: readonly object[], pairs: readonly string[] = [], afterMs = 25_000) => {
    now += afterMs;
    watcher.setLists(
      {
        perps: [{ universe: perps }, perps.map((_, at) => ({ dayNtlVlm: String(100 - at) }))],
        dexes: [{}],
        pairs: [{ universe: pairs.map((name) => ({ name })) }, []],
      },
      [],
    );
  };
  return { requested, warnings, list, books: () => coinsOf('l2Book'), trades: () => coinsOf('trades') };
}
const perps = (...names: string[]) => names.map((name) => ({ name }));

it('ends a requested book once nobody requests it, although its market is nearly among the largest', () => {
  const { requested, list, books } = setUp();
  requested.add('C');
  list(perps('A', 'B', 'C', 'D'));
  expect(new Set(books())).toEqual(new Set(['A', 'B', 'C']));
  requested.clear();
  list(perps('A', 'B', 'C', 'D'));
  expect(books()).toEqual(['A', 'B']);
});

it('continues a book of the largest markets while its market is nearly one of them', () => {
  const { list, books } = setUp();
  list(perps('A', 'B', 'C', 'D'));
  list(perps('A', 'C', 'B', 'D'));
  expect(new Set(books())).toEqual(new Set(['A', 'C', 'B']));
  list(perps('A', 'C', 'D', 'B'));
  expect(books()).toEqual(['A', 'C']);
});

it('ends a market that a list lacks with one that lacks it ten seconds later, and a delisted one at once', () => {
  const { list, trades } = setUp();
  list(perps('A', 'B'), ['@1', '@2']);
  // A node that lags behind lacks what is new.
  list(perps('A'), ['@1']);
  expect(new Set(trades())).toEqual(new Set(['A', '@1', 'B', '@2']));
  list(perps('A'), ['@1'], 9_999);
  expect(new Set(trades())).toEqual(new Set(['A', '@1', 'B', '@2']));
  list(perps('A'), ['@1'], 1);
  expect(new Set(trades())).toEqual(new Set(['A', '@1']));
  list([{ name: 'A', isDelisted: true }, { name: 'B' }], ['@1']);
  expect(new Set(trades())).toEqual(new Set(['B', '@1']));
});

it('warns once of coins of the setting that the venue does not list', () => {
  const { warnings, list, books } = setUp('A,Z,@7');
  list(perps('A', 'B'), ['@7']);
  list(perps('A', 'B'), ['@7']);
  expect(warnings).toEqual([{ coins: ['Z'] }]);
  expect(books()).toEqual(['A', 'Z', '@7']);
  const { warnings: none, list: listLargest } = setUp();
  listLargest(perps('A', 'B'));
  expect(none).toEqual([]);
});
