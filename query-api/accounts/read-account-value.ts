/** Reads the value of an account: a recent one that is known, else that of an acquisition through ingest. */
import { pause } from '#infra/runtime/pause';
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { ApiError } from '#schemas/errors';
import { ACCOUNT_STATES, ACQUISITIONS } from '#schemas/requests/account-acquisition';
import type { AccountValue } from '#schemas/topics/accounts';
import { accountName, type ProviderFamily } from '#schemas/venues/accounts';
import type { Dependencies } from '../routes/route.ts';
import { apiErrorOf } from '../upstream/api-error-of.ts';
import type { AccountValuesView } from '../views/account-values.ts';

export interface AccountRead {
  readonly family: ProviderFamily;
  /** In lower case. */
  readonly address: string;
  /** A value that is older is read again, ms. */
  readonly maxAgeMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** What a response reads is not waited for any longer, so that it states what is missing before its time limit (30 s). */
export const READS_WITHIN_MS = 28_000;
/** The responses of an acquisition are valued within milliseconds; this also covers a stage that is behind. */
const VALUED_WITHIN_MS = 10_000;
const POLL_MS = 10;

/** Rejects with an `ApiError` if the account has no value or cannot be read. */
export async function readAccountValue(
  { family, address, maxAgeMs, signal }: AccountRead,
  { views: { accountValues }, ingest }: Pick<Dependencies, 'views' | 'ingest'>,
): Promise<AccountValue> {
  const account = accountName(family, address);
  const readUntil = Date.now() + READS_WITHIN_MS;
  const known = accountValues.get(account);
  if (known && known.navUsd !== null && Date.now() - known.receivedAt <= maxAgeMs) return known;
  const { publishedAt } = await ingest.send(ACQUISITIONS[family], { address }).then(
    ({ result }) => result,
    (error: unknown) => {
      throw apiErrorOf(family, error);
    },
  );
  return valueOfAcquisition(accountValues, { family, address }, { publishedAt, readUntil, signal });
}

/** Resolves with the value of an acquisition. Rejects with an `ApiError` if it has none, or none in time. */
async function valueOfAcquisition(
  accountValues: AccountValuesView,
  { family, address }: Pick<AccountRead, 'family' | 'address'>,
  awaited: Awaited,
): Promise<AccountValue> {
  const value = await awaitValue(accountValues, accountName(family, address), awaited);
  if (value === null) throw noValue(family, 'the venue returned nothing that can be valued');
  if (value.navUsd === null)
    throw noValue(family, value.failure ?? `the account has something without a price: ${value.unpriced}`);
  return value;
}

/** The value of an account with what the venue sent in the same acquisition. */
export interface AccountState {
  readonly value: AccountValue;
  /** Of venue_a the state of the main dex, of venue_b the rows of all positions. */
  readonly native: unknown;
}

/**
 * Reads an account through ingest. Rejects with an `ApiError` if it has no value or cannot be read.
 * @param fresh true to join no acquisition that has ended.
 */
export async function readAccountState(
  { family, address, signal }: Omit<AccountRead, 'maxAgeMs'>,
  fresh: boolean,
  { views: { accountValues }, ingest }: Pick<Dependencies, 'views' | 'ingest'>,
): Promise<AccountState> {
  const readUntil = Date.now() + READS_WITHIN_MS;
  const { publishedAt, native } = await ingest.send(ACCOUNT_STATES[family], { address, fresh }).then(
    ({ result }) => result,
    (error: unknown) => {
      throw apiErrorOf(family, error);
    },
  );
  const value = await valueOfAcquisition(accountValues, { family, address }, { publishedAt, readUntil, signal });
  const responses = native.map((text) => parseJsonOrNull(text));
  return { value, native: family === 'venue_a' ? responses[0] : responses.flat() };
}

interface Awaited {
  /** When the acquisition was published; null for the newest value, whatever its age. */
  readonly publishedAt: number | null;
  /** When the read ends without a value, unix ms. */
  readonly readUntil: number;
  readonly signal: AbortSignal;
}

async function awaitValue(
  accountValues: AccountValuesView,
  account: string,
  { publishedAt, readUntil, signal }: Awaited,
): Promise<AccountValue | null> {
  const until = Math.min(Date.now() + VALUED_WITHIN_MS, readUntil);
  for (;;) {
    const value = accountValues.get(account) ?? null;
    if (publishedAt === null || (value && value.receivedAt >= publishedAt)) return value;
    if (Date.now() >= until || !(await pause(POLL_MS, signal))) return null;
  }
}

const noValue = (provider: ProviderFamily, message: string) =>
  new ApiError('upstream_unavailable', message, { upstream: { provider, status: null, body: null } });
