/** Answers reads from a recording: with the newest recorded response to the same request. */
import type { Running } from '#infra/runtime/context';
import { type FollowerContext, TopicFollower } from '#infra/stages/topic-follower';
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { type InfoRequest, type InfoResult, infoRead } from '#schemas/requests/venue-a-info';
import { rawTopic } from '#schemas/topics/raw';
import { UpstreamError } from '../feed/errors.ts';
import { defineHandler, type RequestHandler } from '../requests/request-handler.ts';

const TOPIC = rawTopic('venue_a', 'info');
/** Lines of a node, which hold the fills of all accounts. */
const FILLS_TOPIC = rawTopic('venue_a', 'node_fills');
const AT = { topic: TOPIC.name, partition: 0 };
/** Requests whose newest response is known; those answered longest ago are dropped first. */
const REQUESTS_MAX = 100_000;
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
  const { log, codec } = context;
  /** Offset of the newest response by request. */
  const offsets = new Map<string, number>();
  const follower = new TopicFollower(context, {
    topic: TOPIC,
    part: 'recorded reads',
    from: 0,
    handle: ({ request }, { offset }) => {
      const key = keyOf(parseJsonOrNull(request ?? ''));
      if (key === null) return;
      offsets.delete(key);
      offsets.set(key, offset);
      const [oldest] = offsets.keys();
      if (offsets.size > REQUESTS_MAX) offsets.delete(oldest!);
    },
  });
  await codec.prepare([TOPIC]);
  await follower.start();

  const answerFrom = async (offset: number, pick: Container['pick']): Promise<InfoResult | null> => {
    const record = await log.recordFrom({ ...AT, offset });
    if (!record?.value || record.offset !== offset) return null;
    const { payload, receivedAt } = codec.decode(TOPIC, record.value);
    const native = pick(parseJsonOrNull(payload.toString()));
    return native === undefined ? null : { native, fetchedAt: receivedAt, source: 'official' };
  };

  const handler = defineHandler({
    kind: infoRead,
    running: RUNNING,
    expiresAfterMs: EXPIRES_AFTER_MS,
    run: async (params) => {
      const places = [{ request: params, pick: (body: unknown) => body }, ...(CONTAINERS[params.type]?.(params) ?? [])]
        .map(({ request, pick }) => ({ offset: offsets.get(keyOf(request)!) ?? -1, pick }))
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
    },
  });
  return { handlers: [handler], close: () => follower.close() };
}

/** Identifies equal requests: fields in order, addresses in lower case, no dex for the main one. Null for other values. */
function keyOf(request: unknown): string | null {
  if (typeof request !== 'object' || request === null) return null;
  const fields = Object.entries(request)
    .filter(([name, value]) => value !== null && value !== undefined && !(name === 'dex' && value === ''))
    .map(([name, value]) => [name, name === 'user' ? String(value).toLowerCase() : value] as const);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
