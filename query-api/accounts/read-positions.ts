/** Reads the open positions of an account through ingest. What cannot be read is a warning. */
import { asObject, isJsonObject, parseJsonOrNull } from '#schemas/domain/json-fields';
import { ApiError } from '#schemas/errors';
import { venueAPositions, venueBPositions } from '#schemas/requests/positions';
import type { IngestRequests } from '../routes/route.ts';
import { apiErrorOf } from '../upstream/api-error-of.ts';
import type { NamedAccount } from './address-parameters.ts';
import { type PositionRow, venueAPositionRows, venueBPositionRows } from './position-rows.ts';

export interface PositionWarning {
  readonly code: 'upstream_unavailable' | 'upstream_rate_limited';
  readonly provider: NamedAccount['provider'];
  /** Null for the whole venue. */
  readonly dex: string | null;
  readonly message: string;
}

export interface AccountPositions {
  readonly rows: readonly PositionRow[];
  /** What the venue sent; null if nothing could be read. */
  readonly native: unknown;
  readonly warnings: readonly PositionWarning[];
  /** Time of the oldest response, unix ms; null without one. */
  readonly asOf: number | null;
}

export async function readPositions(account: NamedAccount, ingest: IngestRequests): Promise<AccountPositions> {
  try {
    return await (account.provider === 'venue_a' ? readVenueA(account, ingest) : readVenueB(account, ingest));
  } catch (error) {
    const { provider } = account;
    const failure = apiErrorOf(provider, error);
    if (!(failure instanceof ApiError)) throw failure;
    const code = failure.code === 'upstream_rate_limited' ? failure.code : 'upstream_unavailable';
    return { rows: [], native: null, warnings: [{ code, provider, dex: null, message: failure.message }], asOf: null };
  }
}

const MESSAGES = {
  rate_limited: [
    'upstream_rate_limited',
    'the limits of the venue leave no room for this dex; its positions are missing',
  ],
  upstream_failed: ['upstream_unavailable', 'the venue returned no state of this dex; its positions are missing'],
} as const;

async function readVenueA({ provider, address }: NamedAccount, ingest: IngestRequests): Promise<AccountPositions> {
  const { states } = (await ingest.send(venueAPositions, { address })).result;
  const readable = states.filter(({ native }) => hasPositions(native));
  const failed = states.filter(({ native }) => !hasPositions(native));
  const times = readable.map(({ native, fetchedAt }) => {
    const { time } = asObject(native);
    return typeof time === 'number' ? time : fetchedAt!;
  });
  return {
    rows: readable.flatMap(({ dex, native }) => venueAPositionRows(dex, native)),
    native:
      readable.length === 0
        ? null
        : { clearinghouseStateByDex: Object.fromEntries(readable.map(({ dex, native }) => [dex, native])) },
    warnings: failed.map(({ dex, failure }) => {
      const [code, message] = MESSAGES[failure ?? 'upstream_failed'];
      return { code, provider, dex, message };
    }),
    asOf: times.length === 0 ? null : Math.min(...times),
  };
}

/** The venue answers null for what it does not know. A state without a list does not say that there are no positions. */
const hasPositions = (native: unknown) => isJsonObject(native) && Array.isArray(native.assetPositions);

async function readVenueB({ address }: NamedAccount, ingest: IngestRequests): Promise<AccountPositions> {
  const { pages, fetchedAt } = (await ingest.send(venueBPositions, { address })).result;
  const native = pages.flatMap((page) => parseJsonOrNull(page) as unknown[]);
  return { rows: venueBPositionRows(native), native, warnings: [], asOf: fetchedAt };
}
