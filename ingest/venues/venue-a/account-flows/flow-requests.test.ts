import { describe, expect, it } from 'vitest';
import type { FlowCoverage } from '#schemas/topics/account-flows';
import { FlowRequests } from './flow-requests.ts';

const HOUR = 3_600_000;
const NOW = 500_000 * HOUR + HOUR / 2;

const coverage = (name: string, fields: Partial<FlowCoverage> = {}): FlowCoverage => ({
  account: `venue_a:${name}`,
  ledger: NOW - 9 * HOUR,
  receivedAt: NOW,
  knownFrom: null,
  knownThrough: 0,
  requestFrom: 0,
  wantedPrices: [],
  ...fields,
});

/** Answers the request that is due, and returns how long it takes until the account is due again. */
function waitAfterResponse(requests: FlowRequests, now: number): number {
  const request = requests.next(now)!;
  requests.begin(request);
  requests.answered(request, now);
  for (let wait = 0; wait <= HOUR; wait += 1_000) if (requests.next(now + wait)) return wait;
  return Number.POSITIVE_INFINITY;
}

describe('requests for ledger updates', () => {
  it('whose response cannot be read are repeated ever more rarely, until the flows advance', () => {
    const requests = new FlowRequests(() => 0.5);
    requests.record(coverage('a'));
    const waits: number[] = [];
    let now = NOW;
    for (let nth = 0; nth < 7; nth += 1) {
      const wait = waitAfterResponse(requests, now);
      waits.push(wait);
      now += wait;
      // A price of another flow, or the same record after a restart of the stage.
      requests.record(coverage('a', { receivedAt: now }));
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000]);
    requests.record(coverage('a', { requestFrom: 5 }));
    expect(requests.next(now)).toMatchObject({ from: 5 });
    expect(waitAfterResponse(requests, now)).toBe(30_000);
  });

  it('let other accounts go first meanwhile', () => {
    const requests = new FlowRequests(() => 0.5);
    requests.record(coverage('unreadable'));
    requests.record(coverage('other', { knownThrough: NOW - 2 * HOUR }));
    expect(requests.next(NOW)?.account).toBe('venue_a:unreadable');
    waitAfterResponse(requests, NOW);
    expect(requests.next(NOW)?.account).toBe('venue_a:other');
  });
});
