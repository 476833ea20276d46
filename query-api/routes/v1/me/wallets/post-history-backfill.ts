import { z } from 'zod';
import type { BackfillAnswer } from '#infra/backfills/backfill-host';
import { LogError } from '#infra/log/log';
import { walletOf } from '#schemas/domain/control/lookups';
import { ApiError } from '#schemas/errors';
import { clampedInteger } from '#schemas/http/parameters';
import type { BackfillOutcome } from '#schemas/topics/backfills';
import { idPath } from '../../../id-path.ts';
import { defineOwnRoute } from '../../../route.ts';

const RETRY_AFTER_SECONDS = 5;
const UPSTREAM = { provider: 'venue_b', status: null, body: null } as const;

/** It makes nothing that could be made twice, so it needs no `Idempotency-Key`: a repeat finds and tells the same. */
export const postHistoryBackfill = defineOwnRoute({
  method: 'POST',
  path: '/v1/me/wallets/:id/history-backfill',
  scope: 'read',
  sku: 'api.request',
  upstreamStatuses: [502, 503, 504],
  summary: 'Looks up the past fills of a venue_b wallet on the chain.',
  params: idPath,
  query: z.object({ lookback_days: clampedInteger({ min: 1, max: 30, fallback: 7 }) }),
  response: z.object({
    requestId: z.string().describe('Mirrors the header X-Request-Id.'),
    fills: z.number().int().describe('Fills of the wallet in the scanned blocks, whether or not they were known.'),
    scanned: z.object({
      fromBlock: z.string().describe('First scanned block, in decimal digits.'),
      toBlock: z.string().describe('Last scanned block.'),
    }),
  }),
  handle: async ({ params, query, caller, requestId }, { control, backfills }) => {
    const wallet = walletOf(control.state, caller, params.id);
    if (!wallet) throw new ApiError('not_found', 'no such wallet');
    if (wallet.provider !== 'venue_b')
      throw new ApiError('validation_failed', `id: is a wallet of ${wallet.provider}; only those of venue_b have this`);
    if (caller.sandbox) throw new ApiError('validation_failed', 'id: is a wallet of the sandbox, which has no chain');
    const wish = { orgId: caller.orgId, address: wallet.address, lookbackDays: query.lookback_days };
    const { fills, fromBlock, toBlock } = successOf(await backfills.ask(wish).catch(refuse));
    return { requestId, fills, scanned: { fromBlock: String(fromBlock), toBlock: String(toBlock) } };
  },
});

function refuse(error: unknown): never {
  if (!(error instanceof LogError && error.canRetry)) throw error;
  throw new ApiError('internal_error', 'backfills cannot be taken now; try again', {
    status: 503,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** The outcome of a success. Throws an `ApiError` that says what became of it otherwise. */
function successOf(answer: BackfillAnswer): BackfillOutcome {
  const upstream = (status: number, message: string) =>
    new ApiError('upstream_unavailable', message, {
      status,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      upstream: UPSTREAM,
    });
  const failure = typeof answer === 'string' ? answer : answer.failure;
  switch (failure) {
    case null:
      return answer as BackfillOutcome;
    case 'late':
      throw upstream(504, 'the scan takes longer than a request may; it goes on, and a repeat gets its result');
    case 'node_failed':
      throw upstream(502, "the venue's node gave no answer; try again");
    case 'no_node':
      throw upstream(503, 'there is no node to ask while a recording plays');
    case 'busy':
    // It waited longer than anyone does: too many were before it.
    case 'expired':
      throw new ApiError('internal_error', 'too many backfills wait; try again', {
        status: 503,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
  }
}
