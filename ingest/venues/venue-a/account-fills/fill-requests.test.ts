import { describe, expect, it } from 'vitest';
import type { FillLoad } from '#schemas/topics/account-fills';
import { REST_PRIORITIES } from '../declaration.ts';
import { FillRequests, TRADED_TURN_MS, TURN_MS } from './fill-requests.ts';

const NOW = 1_900_000_000_000;

function aLoad(name: string, fields: Partial<FillLoad> = {}): FillLoad {
  return {
    account: `venue_a:${name}`,
    user: name,
    ledger: NOW - 3_600_000,
    receivedAt: NOW,
    loadedAt: null,
    ordersFrom: 0,
    twapsFrom: 0,
    ordersCompleteAt: null,
    twapsCompleteAt: null,
    tradedAt: null,
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
    const requests = requestsOf(aLoad('a'));
    let [request] = requests.due(NOW);
    requests.begin(request!);
    requests.answered(request!, NOW);
    [request] = requests.due(NOW + 30_000);
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
    expect(waitOf()).toBeGreaterThan(first);
  });

  it('put accounts of recorded trades first, then loads, then the others that were read longest ago', () => {
    const requests = requestsOf(
      loaded('idle', NOW - TURN_MS),
      loaded('idler', NOW - 2 * TURN_MS),
      loaded('fresh', NOW - TURN_MS + 1),
      aLoad('new'),
      loaded('traded', NOW - TRADED_TURN_MS, { tradedAt: NOW - 1 }),
      loaded('busy', NOW - TRADED_TURN_MS + 1, { tradedAt: NOW - 1 }),
    );
    expect(shown(requests)).toEqual([
      ['traded', 'orders', 0, REST_PRIORITIES.tradedFills],
      ['new', 'orders', 0, REST_PRIORITIES.fillLoads],
      ['idler', 'orders', 0, REST_PRIORITIES.others],
      ['idle', 'orders', 0, REST_PRIORITIES.others],
    ]);
  });

  it('read both lists after a trade', () => {
    const tradedAt = NOW - 1;
    const requests = requestsOf(loaded('a', NOW - TRADED_TURN_MS, { tradedAt, ordersCompleteAt: NOW }));
    expect(shown(requests)).toEqual([['a', 'twaps', 0, REST_PRIORITIES.tradedFills]]);
    requests.record(loaded('a', NOW, { tradedAt }));
    expect(shown(requests, NOW + TRADED_TURN_MS)).toEqual([]);
  });

  it('end with the account, and begin anew with its next ledger', () => {
    const requests = requestsOf(loaded('a', NOW - TURN_MS));
    const [request] = requests.due(NOW);
    requests.begin(request!);
    requests.record(aLoad('a', { ledger: NOW }));
    expect(shown(requests)).toEqual([['a', 'orders', 0, REST_PRIORITIES.fillLoads]]);
    requests.failed(request!, NOW);
    expect(requests.due(NOW)).toHaveLength(1);
    requests.forget('venue_a:a');
    expect(requests.due(NOW)).toEqual([]);
  });
});
