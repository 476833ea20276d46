import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_QUOTAS, parseQuotas } from './plan-quotas.ts';
import { quotaHeaders } from './quota-headers.ts';
import { type NodeUsage, UsageCounts } from './usage-counts.ts';

const MINUTE = Date.UTC(2026, 2, 1, 12, 0);
const NOW = MINUTE + 15_500;
const SKU = 'markets.read';
const QUOTA = { minute: 3, day: 5 };

function serve(counts: UsageCounts, now: number, orgId = 'org_1', quota = QUOTA): boolean {
  const admitted = counts.reserve(orgId, SKU, quota, now);
  if (admitted) counts.finish(orgId, SKU, true, now);
  return admitted;
}

describe('on one node', () => {
  it('admits exactly as many as the minute allows, and then as the day allows', () => {
    const counts = new UsageCounts('a');
    const minutes = [NOW, NOW + 60_000, NOW + 120_000];
    const admitted = minutes.map((now) => Array.from({ length: 5 }, () => serve(counts, now)).filter(Boolean).length);
    expect(admitted).toEqual([3, 2, 0]);
    expect(serve(counts, NOW + 86_400_000)).toBe(true);
  });

  it('does not count failures, but counts requests in progress', () => {
    const counts = new UsageCounts('a');
    for (let at = 0; at < 3; at += 1) expect(counts.reserve('org_1', SKU, QUOTA, NOW)).toBe(true);
    expect(counts.reserve('org_1', SKU, QUOTA, NOW)).toBe(false);
    for (let at = 0; at < 3; at += 1) counts.finish('org_1', SKU, false, NOW);
    expect(counts.windows('org_1', SKU, QUOTA, NOW)[0]).toMatchObject({ name: 'minute', remaining: 3 });
  });

  it('counts organizations and SKUs separately', () => {
    const counts = new UsageCounts('a');
    for (let at = 0; at < 3; at += 1) serve(counts, NOW);
    expect(serve(counts, NOW)).toBe(false);
    expect(serve(counts, NOW, 'org_2')).toBe(true);
    expect(counts.reserve('org_1', 'pnl.read', QUOTA, NOW)).toBe(true);
  });

  it('counts several at once', () => {
    const counts = new UsageCounts('a');
    counts.add('org_1', 'ws.message', 2, NOW);
    expect(counts.windows('org_1', 'ws.message', QUOTA, NOW).map(({ remaining }) => remaining)).toEqual([1, 3]);
    counts.add('org_1', 'ws.message', 2, NOW);
    expect(counts.windows('org_1', 'ws.message', QUOTA, NOW).map(({ remaining }) => remaining)).toEqual([0, 1]);
    expect(counts.windows('org_1', 'ws.message', { minute: null, day: null }, NOW)).toEqual([]);
    expect(counts.drainUnpublished()).toMatchObject([{ sku: 'ws.message', minuteUnits: 4, dayUnits: 4 }]);
  });

  it('drops the totals of yesterday only after they were published', () => {
    const counts = new UsageCounts('a');
    serve(counts, NOW);
    counts.prune(NOW + 86_400_000);
    expect(counts.drainUnpublished()).toHaveLength(1);
    counts.prune(NOW + 86_400_000);
    serve(counts, NOW + 86_400_000);
    expect(counts.drainUnpublished()).toMatchObject([{ dayUnits: 1, minuteUnits: 1 }]);
  });
});

describe('over several nodes', () => {
  it('counts what others published once, however often and in whatever order it arrives', () => {
    const nodes = ['a', 'b', 'c'];
    const step = fc.record({ node: fc.nat(2), at: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (steps, shuffle) => {
        const all = nodes.map((node) => new UsageCounts(node));
        const published: NodeUsage[] = [];
        const served = [0, 0, 0, 0];
        const large = { minute: 1_000, day: 1_000 };
        for (const { node, at } of [...steps].sort((x, y) => x.at - y.at)) {
          serve(all[node]!, NOW + at * 60_000, 'org_1', large);
          served[at]! += 1;
          published.push(...all[node]!.drainUnpublished());
        }
        // Each node's own records stay in order, as in a topic; nodes interleave, and everything arrives twice.
        const queues = nodes.map((name) => published.filter(({ node }) => node === name));
        const observer = new UsageCounts('d');
        while (queues.some((queue) => queue.length > 0)) {
          const waiting = queues.filter((queue) => queue.length > 0);
          const next = waiting[shuffle.next().value % waiting.length]!.shift()!;
          observer.apply(next);
          observer.apply(next);
        }
        const last = NOW + 3 * 60_000;
        const left = Object.fromEntries(
          observer.windows('org_1', SKU, large, last).map(({ name, remaining }) => [name, 1_000 - remaining]),
        );
        const day = served.reduce((sum, units) => sum + units, 0);
        expect(left).toEqual({ minute: served[3], day });
      }),
      { seed: 7 },
    );
  });

  it('adds to what a restarted node published under its former name', () => {
    const before = new UsageCounts('a1');
    for (let at = 0; at < 3; at += 1) serve(before, NOW);
    const after = new UsageCounts('a2');
    for (const usage of before.drainUnpublished()) after.apply(usage);
    expect(serve(after, NOW)).toBe(false);
    expect(serve(after, NOW + 60_000)).toBe(true);
  });

  it('publishes again what could not be published', () => {
    const counts = new UsageCounts('a');
    serve(counts, NOW);
    const usages = counts.drainUnpublished();
    expect(counts.drainUnpublished()).toEqual([]);
    counts.markUnpublished(usages);
    expect(counts.drainUnpublished()).toEqual(usages);
  });
});

describe('the table of plans', () => {
  it('changes only what is named', () => {
    const quotas = parseQuotas('{"free":{"markets.read":{"minute":60,"day":40}}}');
    expect(quotas.free['markets.read']).toEqual({ minute: 60, day: 40 });
    expect(quotas.free['pnl.read']).toEqual(DEFAULT_QUOTAS.free['pnl.read']);
    expect(quotas.pro).toEqual(DEFAULT_QUOTAS.pro);
    expect(DEFAULT_QUOTAS.free['markets.read'].day).toBe(5_000);
    expect(parseQuotas('{"pro":{"ws.message":{"day":null}}}').pro['ws.message']).toEqual({
      minute: 120_000,
      day: null,
    });
  });

  it.each([
    ['{', 'must be JSON'],
    ['{"gold":{}}', 'gold'],
    ['{"free":{"markets.read":{"minute":-1}}}', 'free.markets.read.minute'],
    ['{"free":{"markets.read":{"hour":1}}}', 'free.markets.read'],
    ['{"free":{"painting":{"minute":1}}}', 'free'],
  ])('refuses %s and names the part', (text, where) => {
    expect(() => parseQuotas(text)).toThrow(where);
  });
});

describe('the headers', () => {
  it('report the window with the least left, and both windows in the standard ones', () => {
    const counts = new UsageCounts('a');
    serve(counts, NOW);
    const list = quotaHeaders(SKU, counts.windows('org_1', SKU, { minute: 3, day: 100 }, NOW), NOW);
    const headers = Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])));
    expect(headers).toEqual({
      'x-quota-sku': 'markets.read',
      'x-quota-limit': '3',
      'x-quota-remaining': '2',
      'x-quota-reset': String((MINUTE + 60_000) / 1_000),
      'ratelimit-policy': '"markets.read/minute";q=3;w=60, "markets.read/day";q=100;w=86400',
      ratelimit: '"markets.read/minute";r=2;t=45, "markets.read/day";r=99;t=43185',
    });
  });

  it('of an unlimited SKU report only the SKU', () => {
    expect(quotaHeaders('ws.message', [], NOW)).toEqual(['x-quota-sku', 'ws.message']);
  });
});
