import { z } from 'zod';
import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import { walletOf } from '#schemas/domain/control/lookups';
import { ApiError } from '#schemas/errors';
import { clampedInteger } from '#schemas/http/parameters';
import { historyBackfill } from '#schemas/requests/history-backfill';
import { idPath } from '../../../id-path.ts';
import { defineCallerRoute } from '../../../route.ts';

const RETRY_AFTER_SECONDS = 5;
const UPSTREAM = { provider: 'venue_b', status: null, body: null } as const;

/** A backfill is idempotent, so the route needs no `Idempotency-Key`: a repeated request finds the same fills. */
export const postHistoryBackfill = defineCallerRoute({
  method: 'POST',
  path: '/v1/me/wallets/:id/history-backfill',
  scope: 'read',
  sku: 'api.request',
  upstreamStatuses: [502, 503, 504],
  summary: 'Looks up the past fills of a venue_b wallet on the chain.',
  params: idPath,
  query: z.object({ lookback_days: clampedInteger({ min: 1, max: 30, fallback: 7 }) }),
  response: z.object({
    requestId: z.string().describe('The value of the header X-Request-Id.'),
    fills: z.number().int().describe('Fills of the wallet in the scanned blocks, known ones included.'),
    scanned: z
      .object({
        fromBlock: z.string().describe('First scanned block, in decimal digits.'),
        toBlock: z.string().describe('Last scanned block.'),
      })
      .describe('The blocks that were searched.'),
  }),
  handle: async ({ params, query, caller, requestId }, { control, ingest }) => {
    const wallet = walletOf(control.state, caller, params.id);
    if (!wallet) throw new ApiError('not_found', 'no such wallet');
    if (wallet.provider !== 'venue_b')
      throw new ApiError(
        'validation_failed',
        `id: is a wallet of ${wallet.provider}; backfills are available for venue_b only`,
      );
    if (caller.sandbox)
      throw new ApiError('validation_failed', 'id: is a sandbox wallet, and the sandbox has no chain');
    const scan = { address: wallet.address, lookbackDays: query.lookback_days };
    const { result } = await ingest.send(historyBackfill, scan).catch(refuse);
    const { fills, fromBlock, toBlock } = result;
    return { requestId, fills, scanned: { fromBlock: String(fromBlock), toBlock: String(toBlock) } };
  },
});

function refuse(error: unknown): never {
  if (error instanceof RequestError) throw backfillErrorOf(error);
  if (!(error instanceof LogError && error.canRetry)) throw error;
  throw new ApiError('internal_error', 'backfills cannot be accepted at the moment; try again', {
    status: 503,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

function backfillErrorOf({ code }: RequestError): ApiError {
  const upstream = (status: number, message: string) =>
    new ApiError('upstream_unavailable', message, {
      status,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      upstream: UPSTREAM,
    });
  switch (code) {
    case 'late':
      return upstream(
        504,
        'the scan takes longer than a request may; it continues, and a repeated request will get its result',
      );
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
