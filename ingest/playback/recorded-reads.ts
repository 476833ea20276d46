/** Answers reads from a recording: with the newest recorded response to the same request. */
import type { Running } from '#infra/runtime/context';
import type { FollowerContext } from '#infra/stages/topic-follower';
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { ACCOUNT_STATES, ACQUISITIONS } from '#schemas/requests/account-acquisition';
import { type InfoRequest, type InfoResult, infoRead } from '#schemas/requests/venue-a-info';
import { rawTopic } from '#schemas/topics/raw';
import { UpstreamError } from '../feed/errors.ts';
import { defineHandler, type RequestHandler } from '../requests/request-handler.ts';
import { createPositionReads } from '../venues/venue-a/position-reads.ts';
import { openNewestResponses } from './newest-responses.ts';
import { recordedPositions } from './recorded-positions.ts';
import { recordedUserPnl } from './recorded-user-pnl.ts';

const TOPIC = rawTopic('venue_a', 'info');
/** Lines of a node, which hold the fills of all accounts. */
const FILLS_TOPIC = rawTopic('venue_a', 'node_fills');
const RUNNING = 16;
const EXPIRES_AFTER_MS = 10_000;

/** Another request whose response contains that to a request. */
interface Container {
  readonly request: object;
  readonly pick: (body: unknown) => unknown;
}

const firstOf = (body: unknown): unknown => (Array.isArray(body) ? body[0] : undefined);

const CONTAINERS: Readonly<Record<string, (request: InfoRequest) => readonly Container[]>> = {
  meta: ({ dex }) => [
    { request: { type: 'metaAndAssetCtxs', ...(dex ? { dex } : {}) }, pick: firstOf },
    { request: { type: 'allPerpMetas' }, pick: (body) => metaOf(body, dex ?? '') },
  ],
  spotMeta: () => [{ request: { type: 'spotMetaAndAssetCtxs' }, pick: firstOf }],
};

/** The `meta` of a dex in `allPerpMetas`: the first one is of the main dex, others begin their names with the dex. */
function metaOf(body: unknown, dex: string): unknown {
  // Some documents have pairs of `meta` and contexts.
  const metas = (Array.isArray(body) ? body : []).map((entry: unknown) => (Array.isArray(entry) ? entry[0] : entry));
  if (dex === '') return metas[0];
  return metas.find((meta) => String(meta?.universe?.[0]?.name).startsWith(`${dex}:`));
}

export interface RecordedReads extends Running {
  readonly handlers: readonly RequestHandler[];
}

export async function openRecordedReads(context: FollowerContext): Promise<RecordedReads> {
  const { log } = context;
  const responses = await openNewestResponses(context, TOPIC, (request) => keyOf(parseJsonOrNull(request)));
  const limits = { running: RUNNING, expiresAfterMs: EXPIRES_AFTER_MS };
  const userPnl = await recordedUserPnl(context, limits);
  const positions = await recordedPositions(context, limits);

  const answerFrom = async (offset: number, pick: Container['pick']): Promise<InfoResult | null> => {
    const response = await responses.read(offset);
    if (!response) return null;
    const native = pick(parseJsonOrNull(response.payload.toString()));
    return native === undefined ? null : { native, fetchedAt: response.receivedAt, source: 'official' };
  };

  const readRecorded = async (params: InfoRequest): Promise<InfoResult> => {
    const places = [{ request: params, pick: (body: unknown) => body }, ...(CONTAINERS[params.type]?.(params) ?? [])]
      .map(({ request, pick }) => ({ offset: responses.offsetOf(keyOf(request)!) ?? -1, pick }))
      .filter(({ offset }) => offset >= 0)
      .sort((a, b) => b.offset - a.offset);
    for (const { offset, pick } of places) {
      const answer = await answerFrom(offset, pick);
      if (answer) return answer;
    }
    // The recorded fills of a node are in the tables; the venue adds none to them.
    const line = params.type === 'userFills' ? await log.last({ topic: FILLS_TOPIC.name, partition: 0 }) : null;
    if (line) return { native: [], fetchedAt: line.receivedAt, source: 'node' };
    throw new UpstreamError('upstream_unavailable', 'the recording has no response to this request');
  };
  const handler = defineHandler({ kind: infoRead, ...limits, run: readRecorded });
  // The stages value the recorded acquisitions; a request gets the newest value there is.
  const acquisitions = Object.values(ACQUISITIONS).map((kind) =>
    defineHandler({ kind, ...limits, run: async () => ({ publishedAt: null }) }),
  );
  const states = [
    defineHandler({
      kind: ACCOUNT_STATES.venue_a,
      ...limits,
      run: async ({ address }) => {
        const { native } = await readRecorded({ type: 'clearinghouseState', user: address });
        return { publishedAt: null, native: [JSON.stringify(native)] };
      },
    }),
    defineHandler({
      kind: ACCOUNT_STATES.venue_b,
      ...limits,
      run: async ({ address }) => ({ publishedAt: null, native: (await positions.read(address)).pages }),
    }),
  ];
  return {
    handlers: [
      handler,
      createPositionReads(readRecorded),
      positions.handler,
      userPnl.handler,
      ...acquisitions,
      ...states,
    ],
    close: async () => {
      await positions.close();
      await userPnl.close();
      await responses.close();
    },
  };
}

/** Identifies equal requests: fields in order, addresses in lower case, no dex for the main one. Null for other values. */
function keyOf(request: unknown): string | null {
  if (typeof request !== 'object' || request === null) return null;
  const fields = Object.entries(request)
    .filter(([name, value]) => value !== null && value !== undefined && !(name === 'dex' && value === ''))
    .map(([name, value]) => [name, name === 'user' ? String(value).toLowerCase() : value] as const);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
