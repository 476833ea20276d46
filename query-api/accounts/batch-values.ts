/** The values of several accounts of venue_a for one response (specification, Batch account value). */
import { z } from 'zod';
import { retry } from '#infra/runtime/retry';
import { timeLimit } from '#infra/runtime/time-limit';
import { BUCKET_KINDS } from '#schemas/domain/accounts/venue-a-value';
import { parseDecimal, toNumber } from '#schemas/domain/decimal';
import { sumKnown } from '#schemas/domain/sum-known';
import { ApiError } from '#schemas/errors';
import { decimalNumber, decimalNumberOrNull } from '#schemas/http/scalars';
import type { AccountValue } from '#schemas/topics/accounts';
import { accountName } from '#schemas/venues/accounts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { readAccountValue } from './read-account-value.ts';
import { type ReadResult, readFewAtOnce } from './read-few-at-once.ts';

/** A value that is at most this old is returned again (specification, Limits: shared account fan-out). */
const MAX_AGE_MS = 15_000;
/** How long a batch waits for its accounts, ms (contract, Money: portfolio, positions, batch). */
const BATCH_WITHIN_MS = 25_000;
const VENUE = 'venue_a';

export const bucketsSchema = z
  .array(
    z.object({
      kind: z.enum(BUCKET_KINDS).describe('Which part.'),
      usd: z.number().describe('USD.'),
    }),
  )
  .describe('Parts that sum to the value; none without a value.');

export const batchSchema = z.object({
  results: z
    .array(
      z.object({
        address: z.string().describe('The address in lower case.'),
        valueUsd: z.number().nullable().describe('Complete value of the account, in each mode; null if not readable.'),
        buckets: bucketsSchema,
        unrealizedPnlUsd: z
          .number()
          .nullable()
          .describe('Sum over all perpetuals of all dexes, a part of the value; null if not readable.'),
        accountMode: z.string().nullable().describe('The account mode; null if not readable.'),
        note: z.string().optional().describe('Why there is no value; left out with a value.'),
      }),
    )
    .describe('In the order of the request.'),
  summary: z
    .object({
      totalValueUsd: z.number().nullable().describe('Sum of the rows with a value; null if there is none.'),
      addressesReporting: z.number().int().describe('Rows with a value.'),
      addressesRequested: z.number().int().describe('All rows.'),
    })
    .describe('Sums over the rows.'),
});
export type Batch = z.infer<typeof batchSchema>;

/**
 * Reads accounts in their order, as the limits of the venue allow. Rows that are not ready in time have a note. Never
 * rejects because of the venue.
 *
 * @param addresses in lower case.
 * @param signal aborts when the client disconnects.
 */
export async function batchValues(
  addresses: readonly string[],
  { sandbox }: Pick<Caller, 'sandbox'>,
  signal: AbortSignal,
  dependencies: Pick<Dependencies, 'views' | 'ingest'>,
  withinMs = BATCH_WITHIN_MS,
): Promise<Batch> {
  const until = timeLimit(withinMs, signal);
  const read = sandbox
    ? async (address: string) => storedValue(address, dependencies)
    : (address: string) => readWhileInTime(address, until, dependencies);
  const results = await readFewAtOnce(addresses, read, until);
  const values = results.map((result) => ('value' in result ? result.value.valueUsd : null));
  const total = sumKnown(values.map((value) => (value === null ? null : parseDecimal(value))));
  return {
    results: results.map((result, at) => rowOf(addresses[at]!, result)),
    summary: {
      totalValueUsd: total === null ? null : toNumber(total),
      addressesReporting: values.filter((value) => value !== null).length,
      addressesRequested: addresses.length,
    },
  };
}

/** Waits for room within the limits of the venue again until the time is over. */
function readWhileInTime(
  address: string,
  until: AbortSignal,
  dependencies: Pick<Dependencies, 'views' | 'ingest'>,
): Promise<AccountValue> {
  return retry(() => readAccountValue({ family: VENUE, address, maxAgeMs: MAX_AGE_MS, signal: until }, dependencies), {
    canRetry: (error) => error instanceof ApiError && error.code === 'upstream_rate_limited' && !until.aborted,
    signal: until,
  });
}

/** The value of the data set of the sandbox, whatever its age. */
function storedValue(address: string, { views: { accountValues } }: Pick<Dependencies, 'views'>): AccountValue {
  const value = accountValues.get(accountName(VENUE, address));
  if (!value || value.navUsd === null) throw new ApiError('not_found', 'the sandbox has no value of this account');
  return value;
}

function rowOf(address: string, result: ReadResult<AccountValue>): Batch['results'][number] {
  if ('failure' in result) {
    const note = result.failure.message;
    return { address, valueUsd: null, buckets: [], unrealizedPnlUsd: null, accountMode: null, note };
  }
  const { valueUsd, buckets, unrealizedPnlUsd, mode } = result.value;
  return {
    address,
    valueUsd: decimalNumberOrNull(valueUsd),
    buckets: buckets.map(({ kind, usd }) => ({ kind, usd: decimalNumber(usd) })),
    unrealizedPnlUsd: decimalNumberOrNull(unrealizedPnlUsd),
    accountMode: mode,
  };
}
