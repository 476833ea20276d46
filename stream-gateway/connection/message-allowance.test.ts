import { describe, expect, it } from 'vitest';
import type { Plan } from '#schemas/domain/control/state';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { UsageCounts } from '#schemas/domain/quota/usage-counts';
import { MessageAllowances } from './message-allowance.ts';

const MINUTE = Date.UTC(2026, 2, 1, 12, 0);
const SKU = 'ws.message';

function open() {
  const counts = new UsageCounts('here');
  const plans = new Map<string, Plan>([
    ['org_free', 'free'],
    ['org_large', 'enterprise'],
  ]);
  const clock = { now: MINUTE };
  const quotas = { ...DEFAULT_QUOTAS, free: { ...DEFAULT_QUOTAS.free, [SKU]: { minute: 10, day: 15 } } };
  const allowances = new MessageAllowances({
    counts,
    quotas,
    planOf: (orgId) => plans.get(orgId),
    now: () => clock.now,
  });
  return { counts, plans, clock, allowances };
}

describe('the allowance of an organization', () => {
  it('is shared by all of its connections, and sent frames become its usage', () => {
    const { allowances, counts } = open();
    const allowance = allowances.open('org_free');
    expect(allowances.open('org_free')).toBe(allowance);
    expect(allowance).toEqual({ left: 10, sent: 0 });
    allowance.left -= 4;
    allowance.sent += 4;
    allowances.refresh();
    expect(allowance).toEqual({ left: 6, sent: 0 });
    expect(counts.drainUnpublished()).toMatchObject([{ orgId: 'org_free', sku: SKU, minuteUnits: 4, dayUnits: 4 }]);
  });

  it('is refilled each minute as far as the day allows, and counts frames that other nodes sent', () => {
    const { allowances, counts, clock } = open();
    const allowance = allowances.open('org_free');
    allowance.sent = 10;
    allowances.refresh();
    expect(allowance.left).toBe(0);
    clock.now += 60_000;
    allowances.refresh();
    expect(allowance.left).toBe(5);
    const minute = clock.now;
    counts.apply({
      node: 'there',
      orgId: 'org_free',
      sku: SKU,
      minute,
      minuteUnits: 3,
      day: Date.UTC(2026, 2, 1),
      dayUnits: 3,
    });
    allowances.refresh();
    expect(allowance.left).toBe(2);
  });

  it('is unlimited but counted where the plan says so, and follows a change of the plan', () => {
    const { allowances, counts, plans } = open();
    const allowance = allowances.open('org_large');
    expect(allowance.left).toBe(Number.POSITIVE_INFINITY);
    allowance.sent = 1_000;
    allowances.refresh();
    expect(counts.drainUnpublished()).toMatchObject([{ dayUnits: 1_000 }]);
    plans.set('org_large', 'free');
    allowances.refresh();
    expect(allowance.left).toBe(0);
    plans.delete('org_large');
    allowances.refresh();
    expect(allowance.left).toBe(0);
  });

  it('is dropped with the last connection, with its frames counted, and is as full as the usage leaves it afterwards', () => {
    const { allowances, counts } = open();
    const allowance = allowances.open('org_free');
    allowances.open('org_free');
    allowances.close('org_free');
    expect(allowances.size).toBe(1);
    allowance.sent = 4;
    allowances.close('org_free');
    expect(allowances.size).toBe(0);
    expect(counts.drainUnpublished()).toMatchObject([{ orgId: 'org_free', dayUnits: 4 }]);
    expect(allowances.open('org_free')).toEqual({ left: 6, sent: 0 });
  });

  it('adds the last sent frames to the usage when it closes', () => {
    const { allowances, counts } = open();
    allowances.start();
    allowances.open('org_free').sent = 2;
    allowances.stop();
    expect(counts.drainUnpublished()).toMatchObject([{ dayUnits: 2 }]);
  });
});
