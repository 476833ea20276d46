/** Responses of venue_a's `info` that sandbox keys see. `npm run sandbox:make` generates the file. */
import { RequestError } from '#infra/requests/request-error';
import { SOURCES, WINDOWS } from '#schemas/domain/returns/series';
import { seriesRecord } from '#schemas/domain/returns/series-record';
import { readPortfolio } from '#schemas/domain/returns/venue-a-series';
import { ApiError } from '#schemas/errors';
import { ACCOUNT_STATES } from '#schemas/requests/account-acquisition';
import { requestKey } from '#schemas/requests/kind';
import { type VenueAPositions, venueAPositions, venueBPositions } from '#schemas/requests/positions';
import { type InfoRequest, type InfoResult, infoRead } from '#schemas/requests/venue-a-info';
import { userPnlRead } from '#schemas/requests/venue-b-user-pnl';
import { seriesKey } from '#schemas/topics/account-series';
import type { AccountValue } from '#schemas/topics/accounts';
import { accountName } from '#schemas/venues/accounts';
import type { IngestRequests } from '../routes/route.ts';
import type { AccountSeriesView } from '../views/account-series.ts';
import { readShippedText } from './data-set-file.ts';

/** Path from the root of the project. */
export const INFO_RESPONSES_FILE = 'query-api/sandbox/info-responses.json.gz';

export interface InfoResponse {
  readonly request: InfoRequest;
  readonly native: unknown;
  /** Unix ms. */
  readonly fetchedAt: number;
}

export async function readInfoResponses(): Promise<InfoResponse[]> {
  return JSON.parse(await readShippedText(INFO_RESPONSES_FILE)) as InfoResponse[];
}

const NO_POINTS = { accountValueHistory: [], pnlHistory: [], vlm: '0.0' };
const NO_PORTFOLIO = ['day', 'week', 'month', 'allTime'].map((period) => [period, NO_POINTS]);

/** What the venues return for the series of an account that they do not know, by kind of request. */
const UNKNOWN_SERIES: Readonly<Record<string, (params: InfoRequest, fetchedAt: number) => object | null>> = {
  [infoRead.name]: ({ type }, fetchedAt) =>
    type === 'portfolio' ? { native: NO_PORTFOLIO, fetchedAt, source: 'official' } : null,
  [userPnlRead.name]: (_, fetchedAt) => ({ text: '[]', fetchedAt }),
};

/** The series of the accounts whose responses these are, as if all were bound. */
export function seriesIn(responses: readonly InfoResponse[]): AccountSeriesView {
  const records = responses.flatMap(({ request: { type, user }, native, fetchedAt }) => {
    if (type !== 'portfolio') return [];
    const [series, address] = [readPortfolio(native), user!];
    return WINDOWS.flatMap((window) => [
      seriesRecord(accountName('venue_a', address), window, SOURCES.venue_a, series[window], fetchedAt),
      // The simulated venue_b states no series.
      seriesRecord(accountName('venue_b', address), window, SOURCES.venue_b, [], fetchedAt),
    ]);
  });
  return new Map(records.map((record) => [seriesKey(record), record]));
}

/** The time of the data set, unix ms. */
const endOf = (responses: readonly InfoResponse[]): number => responses[0]?.fetchedAt ?? 0;

/**
 * Answers requests of sandbox keys, which never reach ingest.
 *
 * @param accountValues the values of the data set.
 */
export function sandboxRequests(
  responses: readonly InfoResponse[],
  accountValues: ReadonlyMap<string, Pick<AccountValue, 'valueUsd'>>,
): IngestRequests {
  const keyOf = (params: unknown) => requestKey(infoRead, infoRead.params.parse(params));
  const results = new Map<string, InfoResult>(
    responses.map(({ request, native, fetchedAt }) => [keyOf(request), { native, fetchedAt, source: 'official' }]),
  );
  /** The states of an account on every dex; none for an unknown one. */
  const positionsOf = (address: string): VenueAPositions => ({
    states: responses.flatMap(({ request: { type, user, dex = '' }, native, fetchedAt }) =>
      type === 'clearinghouseState' && user === address ? [{ dex, native, fetchedAt, failure: null }] : [],
    ),
  });
  /** An empty page for an account of venue_b without positions. The data set holds no pages of those that have some. */
  const venueBPagesOf = (address: string) => {
    const valueUsd = accountValues.get(accountName('venue_b', address))?.valueUsd ?? null;
    return valueUsd === null ? { pages: ['[]'], fetchedAt: endOf(responses) } : null;
  };
  const positionsIn: Readonly<Record<string, (address: string) => object | null>> = {
    [venueAPositions.name]: positionsOf,
    [venueBPositions.name]: venueBPagesOf,
  };
  const statesIn: typeof positionsIn = {
    [ACCOUNT_STATES.venue_a.name]: (address) => {
      const main = positionsOf(address).states.find(({ dex }) => dex === '');
      return main ? { publishedAt: null, native: [JSON.stringify(main.native)] } : null;
    },
    [ACCOUNT_STATES.venue_b.name]: (address) => {
      const found = venueBPagesOf(address);
      return found && { publishedAt: null, native: found.pages };
    },
  };
  return {
    async send(kind, params) {
      const found = kind.name === infoRead.name ? results.get(keyOf(params)) : undefined;
      // A response of fixed data is as new at each request.
      if (found) return { result: kind.result.parse(found), producedAt: Date.now() };
      const read = positionsIn[kind.name] ?? statesIn[kind.name];
      const positions = read?.((params as { address: string }).address);
      if (positions) return { result: kind.result.parse(positions), producedAt: Date.now() };
      const unknown = UNKNOWN_SERIES[kind.name]?.(params as InfoRequest, endOf(responses));
      if (unknown) return { result: kind.result.parse(unknown), producedAt: Date.now() };
      if (kind.name === infoRead.name && (params as InfoRequest).user !== undefined)
        throw new ApiError('not_found', 'the sandbox has no such account');
      throw new RequestError('unavailable');
    },
  };
}
