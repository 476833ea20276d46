/** A backfill as clients see it. */
import { z } from 'zod';
import type { BackfillState } from '#schemas/requests/history-backfill';

export const backfillStatusSchema = z.enum(['queued', 'running', 'done', 'failed']);
export const timeSchema = z.string();
export const scannedSchema = z
  .object({
    fromBlock: z.string().describe('First scanned block, in decimal digits. It decreases while the scan proceeds.'),
    toBlock: z.string().describe('Last scanned block.'),
  })
  .nullable()
  .describe('The blocks that were searched; null before the first ones were.');

export const backfillSchema = z.object({
  requestId: z.string().describe('Id of the backfill.'),
  walletId: z.string().describe('The wallet.'),
  status: backfillStatusSchema.describe('What it is doing.'),
  reason: z.string().nullable().describe('Why it failed; null otherwise.'),
  scanned: scannedSchema,
  fills: z.number().int().describe('Fills of the wallet in the scanned blocks, known ones included.'),
  startedAt: timeSchema.describe('When it was requested.'),
  endedAt: timeSchema.nullable().describe('When it ended; null before.'),
});

export function backfillBody(state: BackfillState): z.infer<typeof backfillSchema> {
  const { id, walletId, status, reason, fromBlock, toBlock, fills, startedAt, endedAt } = state;
  const scanned =
    fromBlock === null || toBlock === null ? null : { fromBlock: String(fromBlock), toBlock: String(toBlock) };
  const timeOf = (at: number) => new Date(at).toISOString();
  return {
    requestId: id,
    walletId,
    status,
    reason,
    scanned,
    fills,
    startedAt: timeOf(startedAt),
    endedAt: endedAt === null ? null : timeOf(endedAt),
  };
}
