import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import { walletOf } from '#schemas/domain/control/lookups';
import { ApiError } from '#schemas/errors';
import { clampedInteger } from '#schemas/http/parameters';
import { historyBackfill, WALLET_NOT_BOUND } from '#schemas/requests/history-backfill';
import { idPath } from '../../../id-path.ts';
import { CustomResponse, defineCallerRoute } from '../../../route.ts';
import { backfillBody, backfillStatusSchema, scannedSchema, timeSchema } from '../backfills/backfill-shapes.ts';

const RETRY_AFTER_SECONDS = 5;
const UPSTREAM = { provider: 'venue_b', status: null, body: null } as const;

/** A backfill is idempotent, so the route needs no `Idempotency-Key`: a repeated request finds the same events. */
export const postHistoryBackfill = defineCallerRoute({
  method: 'POST',
  path: '/v1/me/wallets/:id/history-backfill',
  scope: 'read',
  sku: 'api.request',
  otherStatuses: [202],
  upstreamStatuses: [502, 503],
  summary: 'Looks up the past events of a venue_b wallet on the chain; 202 if that takes longer than 25 s.',
  params: idPath,
  query: z.object({ lookback_days: clampedInteger({ min: 1, max: 30, fallback: 7 }) }),
  response: z.object({
    requestId: z.string().describe('Id of the backfill.'),
    status: backfillStatusSchema.optional().describe('In a 202: what it is doing.'),
    fills: z.number().int().describe('Fills of the wallet in the scanned blocks, known ones included.'),
    scanned: scannedSchema,
    startedAt: timeSchema.optional().describe('In a 202: when it was requested.'),
    endedAt: timeSchema.nullable().optional().describe('In a 202: null.'),
  }),
  handle: async ({ params, query, caller }, { control, ingest }) => {
    const wallet = walletOf(control.state, caller, params.id);
    const missing = () => new ApiError('not_found', 'no such wallet');
    if (!wallet) throw missing();
    if (wallet.provider !== 'venue_b')
      throw new ApiError(
        'validation_failed',
        `id: is a wallet of ${wallet.provider}; backfills are available for venue_b only`,
      );
    if (caller.sandbox)
      throw new ApiError('validation_failed', 'id: is a sandbox wallet, and the sandbox has no chain');
    const { result } = await ingest
      .send(historyBackfill, {
        id: randomUUID(),
        orgId: caller.orgId,
        walletId: wallet.id,
        address: wallet.address,
        lookbackDays: query.lookback_days,
      })
      .catch(refuse);
    if (!result) throw backfillErrorOf('busy');
    // It was removed while it was scanned.
    if (result.reason === WALLET_NOT_BOUND) throw missing();
    if (result.status === 'failed') throw backfillErrorOf('upstream_failed');
    const { requestId, status, fills, scanned, startedAt, endedAt } = backfillBody(result);
    if (status === 'done') return { requestId, fills, scanned };
    return new CustomResponse(202, { requestId, status, fills, scanned, startedAt, endedAt });
  },
});

function refuse(error: unknown): never {
  if (error instanceof RequestError) throw backfillErrorOf(error.code);
  if (!(error instanceof LogError && error.canRetry)) throw error;
  throw new ApiError('internal_error', 'backfills cannot be accepted at the moment; try again', {
    status: 503,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

function backfillErrorOf(code: RequestError['code']): ApiError {
  const upstream = (status: number, message: string) =>
    new ApiError('upstream_unavailable', message, {
      status,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      upstream: UPSTREAM,
    });
  switch (code) {
    case 'late':
    case 'upstream_failed':
    case 'rate_limited':
      return upstream(502, "the venue's node did not respond; try again");
    case 'unavailable':
      return upstream(503, 'no node is available during playback of a recording');
    case 'busy':
    // It expired in the queue: too many requests were ahead of it.
    case 'expired':
      return new ApiError('internal_error', 'too many backfills are waiting; try again', {
        status: 503,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
  }
}
