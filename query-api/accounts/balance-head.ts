/** The newest checkpoint of accounts, from what the log has of them. No request is sent, not even to ingest. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  CHECKPOINT_MAX_AGE_MS,
  CHECKPOINT_STATUSES,
  checkpointStatus,
  checkpointTime,
  newestCheckpoint,
  recentAcquisitions,
} from '#schemas/domain/accounts/checkpoint';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import type { AccountValue } from '#schemas/topics/accounts';
import { accountName } from '#schemas/venues/accounts';
import { query } from '../queries/query.ts';
import { type AcquisitionTime, acquisitionTimes, valuesOf } from '../queries/read-account-values.ts';
import type { Dependencies } from '../routes/route.ts';
import type { NamedAccount } from './address-parameters.ts';
import { sliceOf, sliceSchema, summaryOf, summarySchema } from './venue-slice.ts';

export const balanceHeadSchema = z
  .object({
    checkpointId: z.string().describe('Identifies the acquisitions: it changes when one of them does.'),
    asOf: isoTimeSchema.describe('The time of the oldest part.'),
    expiresAt: isoTimeSchema.describe('Until when it is returned unless there is a newer one.'),
    dataStatus: z
      .enum(CHECKPOINT_STATUSES)
      .describe('By its age: `fresh` up to 60 s, `cached_fresh` up to 10 minutes, then `cached_stale`.'),
    slices: z.array(sliceSchema).describe('One of each requested venue.'),
    summary: summarySchema.describe('Sums over the slices.'),
  })
  .nullable()
  .describe('Null if the service has no complete checkpoint of the last 24 hours.');
export type BalanceHead = z.infer<typeof balanceHeadSchema>;

/** @param now unix ms. */
export async function readBalanceHead(
  accounts: readonly NamedAccount[],
  now: number,
  dependencies: Pick<Dependencies, 'views' | 'store'>,
): Promise<BalanceHead> {
  const values = await newestValues(accounts, now, dependencies);
  if (values === null) return null;
  const asOf = checkpointTime(values);
  const dataStatus = checkpointStatus(asOf, now);
  if (dataStatus === null) return null;
  return {
    checkpointId: idOf(values),
    asOf: isoTime(asOf),
    expiresAt: isoTime(asOf + CHECKPOINT_MAX_AGE_MS),
    dataStatus,
    slices: values.map((value, at) => sliceOf(accounts[at]!, value)),
    summary: summaryOf(values),
  };
}

/** The values of the newest checkpoint, in the order of the accounts; null without one. */
async function newestValues(
  accounts: readonly NamedAccount[],
  now: number,
  { views: { accountValues }, store }: Pick<Dependencies, 'views' | 'store'>,
): Promise<AccountValue[] | null> {
  const names = accounts.map(({ provider, address }) => accountName(provider, address));
  const newest = names.map((name) => {
    const value = accountValues.get(name);
    return value && value.navUsd !== null ? [value] : [];
  });
  // Usually the newest acquisitions of all accounts go together; the table is some seconds behind them.
  const current = newestCheckpoint(newest);
  if (current) return current;
  const stored = await query(store, acquisitionTimes(names, now - CHECKPOINT_MAX_AGE_MS));
  const times: AcquisitionTime[][] = names.map((name, at) =>
    recentAcquisitions([...newest[at]!, ...stored.filter(({ account }) => account === name)], now),
  );
  const checkpoint = newestCheckpoint(times);
  if (checkpoint === null) return null;
  const read = await query(store, valuesOf(checkpoint));
  const known = [...newest.flat(), ...read];
  const found = checkpoint.map((time) =>
    known.find(({ account, receivedAt }) => account === time.account && receivedAt === time.receivedAt),
  );
  return found.every((value) => value !== undefined) ? found : null;
}

function idOf(values: readonly AccountValue[]): string {
  const hash = createHash('sha256');
  for (const { account, receivedAt } of values) hash.update(`${account} ${receivedAt}\n`);
  return hash.digest('base64url').slice(0, 22);
}
