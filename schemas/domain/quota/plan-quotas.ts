/** How much each plan may use (contract, REST: Default plan quotas), and the setting that overrides it. */
import { z } from 'zod';
import { PLANS, type Plan } from '../control/state.ts';
import { SKUS, type Sku } from './sku.ts';

/** Units within a UTC minute and a UTC day; null is unlimited. */
export interface Quota {
  readonly minute: number | null;
  readonly day: number | null;
}
export type PlanQuotas = Readonly<Record<Plan, Readonly<Record<Sku, Quota>>>>;

const perPlan = (rest: Quota, messages: Quota): Record<Sku, Quota> => ({
  'markets.read': rest,
  'api.request': rest,
  'portfolio.read': rest,
  'pnl.read': rest,
  'ws.message': messages,
});

export const DEFAULT_QUOTAS: PlanQuotas = {
  free: perPlan({ minute: 60, day: 5_000 }, { minute: 6_000, day: 500_000 }),
  pro: perPlan({ minute: 1_200, day: 500_000 }, { minute: 120_000, day: 50_000_000 }),
  enterprise: perPlan({ minute: 12_000, day: 10_000_000 }, { minute: null, day: null }),
};

const units = z.int().min(0).nullable();
const overridesSchema = z.partialRecord(
  z.enum(PLANS),
  z.partialRecord(z.enum(SKUS), z.strictObject({ minute: units, day: units }).partial()),
);

/**
 * Returns the default table with parts replaced, e.g. by `{"free":{"markets.read":{"minute":60}}}`; the rest stays as it
 * is. Throws an `Error` that names the first invalid part.
 */
export function parseQuotas(overrides: string | null): PlanQuotas {
  if (overrides === null) return DEFAULT_QUOTAS;
  let value: unknown;
  try {
    value = JSON.parse(overrides);
  } catch {
    throw new Error('must be JSON');
  }
  const parsed = overridesSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue!.path.join('.') || 'overrides'}: ${issue!.message}`);
  }
  const merged = structuredClone(DEFAULT_QUOTAS) as Record<Plan, Record<Sku, Quota>>;
  for (const plan of PLANS) {
    for (const sku of SKUS) {
      const { minute, day } = parsed.data[plan]?.[sku] ?? {};
      if (minute !== undefined) merged[plan][sku] = { ...merged[plan][sku], minute };
      if (day !== undefined) merged[plan][sku] = { ...merged[plan][sku], day };
    }
  }
  return merged;
}
