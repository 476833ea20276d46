import { expect, it } from 'vitest';
import { RecentAccounts } from './recent-accounts.ts';

function setUp() {
  let changes = 0;
  const recent = new RecentAccounts(() => {
    changes += 1;
  }, 3);
  const traded = (name: string, tradedAt: number | null, froms = { ordersFrom: 0, twapsFrom: 0 }) =>
    recent.record({ account: `venue_a:${name}`, user: name, tradedAt, ...froms });
  return {
    traded,
    forget: (name: string) => recent.forget(`venue_a:${name}`),
    users: () => recent.users().sort(),
    changes: () => changes,
  };
}

it('are those that traded last; one gives way to one that traded a minute later', () => {
  const { traded, users, changes } = setUp();
  traded('a', null);
  traded('b', 100_000);
  traded('c', 110_000);
  traded('d', 120_000);
  expect([users(), changes()]).toEqual([['b', 'c', 'd'], 3]);
  traded('e', 159_999);
  expect([users(), changes()]).toEqual([['b', 'c', 'd'], 3]);
  traded('b', 160_000);
  traded('e', 169_999);
  expect(users()).toEqual(['b', 'c', 'd']);
  traded('e', 170_000);
  expect([users(), changes()]).toEqual([['b', 'd', 'e'], 4]);
  // Fills of the lists count like recorded trades.
  traded('f', null, { ordersFrom: 5, twapsFrom: 179_999 });
  expect(users()).toEqual(['b', 'd', 'e']);
  traded('f', 9, { ordersFrom: 180_000, twapsFrom: 0 });
  expect(users()).toEqual(['b', 'e', 'f']);
});

it('are filled up by the next one when an account is not bound any more, or was bound again', () => {
  const { traded, forget, users, changes } = setUp();
  for (const [at, name] of ['a', 'b', 'c', 'd', 'e'].entries()) traded(name, 100_000 + at);
  expect(users()).toEqual(['a', 'b', 'c']);
  forget('d');
  expect(changes()).toBe(3);
  forget('a');
  expect([users(), changes()]).toEqual([['b', 'c', 'e'], 4]);
  traded('b', null);
  expect([users(), changes()]).toEqual([['c', 'e'], 5]);
});
