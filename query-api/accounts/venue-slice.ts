/** Slices of a portfolio, one for each requested venue, and their summary (specification, Venue slice and summary). */
import { z } from 'zod';
import { type Decimal, parseDecimal, toNumber } from '#schemas/domain/decimal';
import { sumKnown } from '#schemas/domain/sum-known';
import { decimalNumber, decimalNumberOrNull, isoTime, isoTimeSchema } from '#schemas/http/scalars';
import type { AccountValue } from '#schemas/topics/accounts';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import type { NamedAccount } from './address-parameters.ts';
import { bucketsSchema } from './batch-values.ts';

const usd = (description: string) => z.number().describe(description);
const usdOrNull = (description: string) => z.number().nullable().describe(description);

export const sliceSchema = z.object({
  provider: z.enum(PROVIDER_FAMILIES).describe('The venue.'),
  address: z.string().describe('The address on this venue.'),
  valueUsd: usdOrNull('Complete value on venue_a; positions on venue_b, null without any.'),
  availableUsd: usdOrNull(
    'What can be withdrawn from venue_a, a part of the value; cash on chain of venue_b; null without a value.',
  ),
  navUsd: usdOrNull('All assets on this venue; null without a value.'),
  source: z
    .enum(['node', 'official'])
    .nullable()
    .optional()
    .describe('Where the state came from (venue_a); null if it is not known.'),
  asOf: isoTimeSchema.optional().describe('The time of the state (venue_a).'),
  buckets: bucketsSchema.optional(),
  accountMode: z.string().nullable().optional().describe('The account mode (venue_a); null if it is not known.'),
  spotBalances: z
    .array(
      z.object({
        coin: z.string().describe('Name of the token.'),
        total: usd('Quantity; negative for a borrowed token.'),
        hold: usd('The part that orders hold.'),
        usd: usd('USD of the total.'),
      }),
    )
    .optional()
    .describe('Every spot balance (venue_a).'),
  perpByDex: z
    .array(
      z.object({
        dex: z.string().describe('The dex; empty for the main one.'),
        accountValueUsd: usd('Equity.'),
        unrealizedPnlUsd: usd('Sum over the positions.'),
      }),
    )
    .optional()
    .describe('Every dex (venue_a).'),
  note: z.string().nullable().describe('What to know about the slice; null for nothing.'),
});
export type VenueSlice = z.infer<typeof sliceSchema>;

export const summarySchema = z.object({
  totalNavUsd: usdOrNull('All assets: the sum of `navUsd`; null if each is null.'),
  totalValueUsd: usdOrNull('Sum of `valueUsd`; null if each is null. Never add it to the available total.'),
  totalAvailableUsd: usdOrNull('Sum of `availableUsd`; null if each is null.'),
  providersReporting: z.number().int().describe('Slices with a `navUsd`.'),
  providersRequested: z.number().int().describe('All slices.'),
});
export type PortfolioSummary = z.infer<typeof summarySchema>;

/** The slice of an account, with the figures of its value as the log has them. */
export function sliceOf({ provider, address }: NamedAccount, value: AccountValue): VenueSlice {
  const figures = {
    provider,
    address,
    valueUsd: decimalNumberOrNull(value.valueUsd),
    availableUsd: decimalNumberOrNull(value.availableUsd),
    navUsd: decimalNumberOrNull(value.navUsd),
    note: null,
  };
  if (provider !== 'venue_a') return figures;
  return {
    ...figures,
    source: value.source,
    asOf: isoTime(value.asOf),
    buckets: value.buckets.map((bucket) => ({ kind: bucket.kind, usd: decimalNumber(bucket.usd) })),
    accountMode: value.mode,
    spotBalances: value.spotBalances.map(({ coin, total, hold, usd: worth }) => ({
      coin,
      total: decimalNumber(total),
      hold: decimalNumber(hold),
      usd: decimalNumber(worth),
    })),
    perpByDex: value.perpByDex.map(({ dex, accountValueUsd, unrealizedPnlUsd }) => ({
      dex,
      accountValueUsd: decimalNumber(accountValueUsd),
      unrealizedPnlUsd: decimalNumber(unrealizedPnlUsd),
    })),
  };
}

/** Exact sums over the values of slices, which skip what is null. */
export function summaryOf(values: readonly AccountValue[]): PortfolioSummary {
  return {
    totalNavUsd: totalOf(values, 'navUsd'),
    totalValueUsd: totalOf(values, 'valueUsd'),
    totalAvailableUsd: totalOf(values, 'availableUsd'),
    providersReporting: values.filter(({ navUsd }) => navUsd !== null).length,
    providersRequested: values.length,
  };
}

function totalOf(values: readonly AccountValue[], figure: 'navUsd' | 'valueUsd' | 'availableUsd'): number | null {
  const parts = values.map((value): Decimal | null => {
    const text = value[figure];
    return text === null ? null : parseDecimal(text);
  });
  const total = sumKnown(parts);
  return total === null ? null : toNumber(total);
}
