import { describe, expect, it } from 'vitest';
import type { FillLoad } from '#schemas/topics/account-fills';
import { REST_PRIORITIES } from '../declaration.ts';
import { ARRIVES_WITHIN_MS, FillRequests, TRADED_TURN_MS, TURN_MS } from './fill-requests.ts';

const NOW = 1_900_000_000_000;

function aLoad(name: string, fields: Partial<FillLoad> = {}): FillLoad {
  return {
    account: `venue_a:${name}`,
    user: name,
    ledger: NOW - 3_600_000,
    receivedAt: NOW,
    knownAt: NOW - 60_000,
    loadedAt: null,
    ordersFrom: 0,
    twapsFrom: 0,
    ordersCompleteAt: null,
    twapsCompleteAt: null,
    tradedAt: null,
    missingFrom: null,
    skippedAt: null,
    ...fields,
  };
}
const loaded = (name: string, at: number, fields: Partial<FillLoad> = {}) =>
  aLoad(name, { loadedAt: at, ordersCompleteAt: at, twapsCompleteAt: at, ...fields });
const shown = (requests: FillRequests, now = NOW) =>
  requests.due(now).map(({ user, list, from, priority }) => [user, list, from, priority]);

function requestsOf(...loads: FillLoad[]): FillRequests {
  const requests = new FillRequests(() => 0.5);
  for (const load of loads) requests.record(load);
  return requests;
}

describe('requests for fills', () => {
  it('of an account that is loaded for the first time continue the list that is behind, one at a time', () => {
    const requests = requestsOf(aLoad('a', { ordersFrom: 500, twapsFrom: 300 }));
    expect(shown(requests)).toEqual([['a', 'twaps', 300, REST_PRIORITIES.fillLoads]]);
    const [request] = requests.due(NOW);
    requests.begin(request!);
    expect(requests.due(NOW)).toEqual([]);
    requests.answered(request!, NOW);
    expect(requests.due(NOW + 29_999)).toEqual([]);
    requests.record(aLoad('a', { ordersFrom: 500, twapsFrom: 300, tradedAt: NOW }));
    expect(requests.due(NOW)).toEqual([]);
    requests.record(aLoad('a', { ordersFrom: 500, twapsFrom: 700, twapsCompleteAt: NOW }));
    expect(shown(requests)).toEqual([['a', 'orders', 500, REST_PRIORITIES.fillLoads]]);
  });

  it('are repeated if the stage states nothing new within half a minute, and later after each failure', () => {
    const requests = requestsOf(aLoad('a', { ordersCompleteAt: NOW }));
    let [request] = requests.due(NOW);
    requests.begin(request!);
    requests.failed(request!, NOW);
    const waitOf = () => {
      let wait = 0;
      while (requests.due(NOW + wait).length === 0) wait += 100;
      return wait;
    };
    const first = waitOf();
    [request] = requests.due(NOW + first);
    requests.begin(request!);
    requests.failed(request!, NOW);
    expect(first).toBeGreaterThan(0);
    const second = waitOf();
    expect(second).toBeGreaterThan(first);
    requests.record(aLoad('a', { ordersCompleteAt: NOW, twapsFrom: 1 }));
    expect(waitOf()).toBe(0);
    [request] = requests.due(NOW);
    requests.begin(request!);
    requests.answered(request!, NOW);
    expect(waitOf()).toBe(30_000);
  });

  it('whose response cannot be read are repeated ever more rarely, without holding up the other list, until it advances', () => {
    const requests = requestsOf(loaded('a', NOW - TURN_MS));
    let now = NOW;
    const waits: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      const request = requests.due(now).find(({ list }) => list === 'orders');
      requests.begin(request!);
      requests.answered(request!, now);
      const sentAt = now;
      const twaps = requests.due(now);
      expect(twaps.map(({ list }) => list)).toEqual(['twaps']);
      while (!requests.due(now).some(({ list }) => list === 'orders')) {
        // The other list is read meanwhile.
        requests.record(loaded('a', NOW - TURN_MS, { twapsCompleteAt: now }));
        now += 1_000;
      }
      requests.record(loaded('a', NOW - TURN_MS));
      waits.push(now - sentAt);
    }
    expect(waits.slice(-2)).toEqual([900_000, 900_000]);
    requests.record(loaded('a', now - TURN_MS));
    expect(requests.due(now)).toHaveLength(1);
  });

  it('of loads are served in turn', () => {
    const requests = requestsOf(aLoad('first', { ledger: NOW - 9_000 }), aLoad('second', { ledger: NOW - 5_000 }));
    const [request] = requests.due(NOW);
    expect(request?.user).toBe('first');
    requests.begin(request!);
    requests.answered(request!, NOW);
    requests.record(aLoad('first', { ledger: NOW - 9_000, twapsFrom: 5 }));
    // Its figures are known once it has a page of both lists.
    const [other] = requests.due(NOW);
    expect([other?.user, other?.list]).toEqual(['first', 'orders']);
    requests.begin(other!);
    requests.answered(other!, NOW);
    requests.record(aLoad('first', { ledger: NOW - 9_000, twapsFrom: 5, ordersFrom: 5 }));
    expect(requests.due(NOW).map(({ user }) => user)).toEqual(['second', 'first']);
  });

  it('of a load read the first page of one list while the other one fails, and no more', () => {
    const requests = requestsOf(aLoad('a'));
    let [request] = requests.due(NOW);
    expect(request?.list).toBe('twaps');
    requests.begin(request!);
    requests.failed(request!, NOW);
    [request] = requests.due(NOW);
    expect(request?.list).toBe('orders');
    requests.begin(request!);
    requests.answered(request!, NOW);
    requests.record(aLoad('a', { ordersFrom: 7 }));
    expect(requests.due(NOW)).toEqual([]);
    expect(requests.due(NOW + 60_000).map(({ list }) => list)).toEqual(['twaps']);
  });

  it('of an account of which nothing is known are as important as those of traded ones, and take turns with them', () => {
    const traded = { missingFrom: NOW - 60_000, tradedAt: NOW };
    const requests = requestsOf(
      loaded('traded', NOW - 50_000, traded),
      aLoad('bound', { knownAt: null, ledger: NOW - 45_000 }),
      aLoad('known', { ledger: NOW - 90_000 }),
    );
    expect(shown(requests).map(([user, , , priority]) => [user, priority])).toEqual([
      ['traded', REST_PRIORITIES.tradedFills],
      ['bound', REST_PRIORITIES.tradedFills],
      ['known', REST_PRIORITIES.fillLoads],
    ]);
  });

  it('of a traded account read the orders after the trade, and its TWAP slices if the fill is not among them', () => {
    const at = NOW - 60_000;
    const fields = { missingFrom: at, ordersCompleteAt: at - 1, twapsCompleteAt: at - 200_000 };
    expect(shown(requestsOf(loaded('a', at, fields)))[0]![1]).toBe('orders');
    const read = { ...fields, ordersCompleteAt: at + ARRIVES_WITHIN_MS };
    expect(shown(requestsOf(loaded('a', at, read)))[0]![1]).toBe('twaps');
  });

  it('put accounts of recorded trades first, then loads, then the others that were read longest ago', () => {
    const requests = requestsOf(
      loaded('idle', NOW - TURN_MS),
      loaded('idler', NOW - 2 * TURN_MS),
      loaded('fresh', NOW - TURN_MS + 1),
      aLoad('new'),
      loaded('traded', NOW - TRADED_TURN_MS, { missingFrom: NOW - ARRIVES_WITHIN_MS }),
      loaded('busy', NOW - TRADED_TURN_MS + 1, { missingFrom: NOW - ARRIVES_WITHIN_MS }),
    );
    expect(shown(requests)).toEqual([
      ['traded', 'orders', 0, REST_PRIORITIES.tradedFills],
      ['new', 'twaps', 0, REST_PRIORITIES.fillLoads],
      ['idler', 'orders', 0, REST_PRIORITIES.others],
      ['idle', 'orders', 0, REST_PRIORITIES.others],
    ]);
  });

  it('read both lists while the fill of a trade is missing, which another source may bring first', () => {
    const missingFrom = NOW - ARRIVES_WITHIN_MS;
    const requests = requestsOf(loaded('a', NOW - TRADED_TURN_MS, { missingFrom, ordersCompleteAt: NOW }));
    expect(shown(requests, NOW - 1)).toEqual([]);
    expect(shown(requests)).toEqual([['a', 'twaps', 0, REST_PRIORITIES.tradedFills]]);
    requests.record(loaded('a', NOW, { missingFrom: null }));
    expect(shown(requests, NOW + TRADED_TURN_MS)).toEqual([]);
  });

  it('end with the account, and begin anew with its next ledger', () => {
    const requests = requestsOf(loaded('a', NOW - TURN_MS));
    const [request] = requests.due(NOW);
    requests.begin(request!);
    requests.record(aLoad('a', { ledger: NOW }));
    expect(shown(requests)).toEqual([['a', 'twaps', 0, REST_PRIORITIES.fillLoads]]);
    requests.failed(request!, NOW);
    expect(requests.due(NOW)).toHaveLength(1);
    requests.forget('venue_a:a');
    expect(requests.due(NOW)).toEqual([]);
  });
});
