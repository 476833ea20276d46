/**
 * Requests the daily files of registered builders (venue page, section 9) in the background, one after the other: 30 days
 * back when a builder is registered and at each start, and those of the last three days every hour. What has arrived
 * follows from the log.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Running } from '#infra/runtime/context';
import { pause } from '#infra/runtime/pause';
import { nextTurn } from '#infra/runtime/turn';
import { TopicFollower } from '#infra/stages/topic-follower';
import { FieldError } from '#schemas/domain/json-fields';
import { Lz4Error } from '#schemas/domain/lz4/read-frames';
import { builderDayKey, builderDayTopic, registeredBuilderTopic } from '#schemas/topics/builder-exports';
import {
  type BuilderFile,
  type BuilderFileResponse,
  builderFileRequest,
  builderFileText,
  DAY_MS,
  NO_FILE_MS,
  readBuilderRows,
} from '#schemas/venues/venue-a/builder-export';
import { publishExport } from '../../../exports/publish-export.ts';
import { Budget } from '../../../feed/budget.ts';
import { ConnectionState } from '../../../feed/connection-state.ts';
import { UpstreamError } from '../../../feed/errors.ts';
import { HttpClient } from '../../../feed/http-client.ts';
import { type AdapterContext, joinUrl, upstreamUrl } from '../../adapter.ts';
import { BUILDER_FILES } from '../declaration.ts';
import { type FetchedFile, fetchFile } from './fetch-file.ts';
import { FilesDue } from './files-due.ts';

const SOURCE = 'venue_a.builder_fills';
const compress = promisify(gzip);

export interface FileRequestsOptions {
  readonly context: Pick<AdapterContext, 'settings' | 'publisher' | 'log' | 'codec' | 'logger' | 'metrics'>;
  /** Time between two looks for requests that are due. */
  readonly intervalMs?: number;
  readonly now?: () => number;
}

/** The known state of a file: from the log, or since this start what was published of it. */
interface KnownFile {
  readonly etag: string | null;
  /** Null where the venue has no file. */
  readonly sha256: string | null;
  /** False for a file that changes nothing: it is requested again, without a tag. */
  readonly isReadable: boolean;
}

/** Runs until it is closed. Close it before the publisher. */
export async function startFileRequests(options: FileRequestsOptions): Promise<Running> {
  const { context, now = Date.now } = options;
  const { log, codec } = context;
  const topics = [registeredBuilderTopic, builderDayTopic] as const;
  await log.createTopics([...topics]);
  await codec.prepare([...topics]);
  const due = new FilesDue({ now });
  const known = new Map<string, KnownFile>();
  const part = 'files of builders';
  const firstOf = async (topic: string) => (await log.bounds({ topic, partition: 0 })).first;
  const days = new TopicFollower(context, {
    topic: builderDayTopic,
    part,
    from: await firstOf(builderDayTopic.name),
    handle: ({ etag, sha256 }, { key }) => void known.set(key, { etag, sha256, isReadable: true }),
  });
  const builders = new TopicFollower(context, {
    topic: registeredBuilderTopic,
    part,
    from: await firstOf(registeredBuilderTopic.name),
    handle: ({ builder, since }) => due.add(builder, since),
    onRemoved: (builder) => due.remove(builder),
  });
  // First what has arrived, which need not be requested unconditionally.
  for (const follower of [days, builders]) await follower.catchUp();
  for (const follower of [days, builders]) await follower.start();
  const connection = new ConnectionState({ venue: 'venue_a', feed: SOURCE, ...context });
  const closing = new AbortController();
  const running = run({ options, due, known, connection, now, signal: closing.signal });
  return {
    close: async () => {
      closing.abort();
      await running;
      for (const follower of [builders, days]) await follower.close();
      connection.markClosed();
    },
  };
}

interface RunOptions {
  readonly options: FileRequestsOptions;
  readonly due: FilesDue;
  readonly known: Map<string, KnownFile>;
  readonly connection: ConnectionState;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

async function run({ options, due, known, connection, now, signal }: RunOptions): Promise<void> {
  const { context, intervalMs = BUILDER_FILES.intervalMs } = options;
  const { settings, publisher, logger, metrics } = context;
  const base = upstreamUrl(settings, 'venueAStatsUrl');
  const http = new HttpClient({
    budget: new Budget(BUILDER_FILES.requests),
    timeoutMs: BUILDER_FILES.timeoutMs,
    bodyBytesMax: BUILDER_FILES.bytesMax,
    counter: { source: SOURCE, metrics },
  });
  while (!signal.aborted) {
    const file = due.next();
    if (!file) {
      if (!(await pause(intervalMs, signal))) return;
      continue;
    }
    const request = builderFileRequest(file);
    try {
      const key = builderDayKey(file.builder, file.day);
      const url = joinUrl(base, request.slice('GET '.length));
      const fetched = await fetchFile(http, url, known.get(key)?.etag ?? null, signal);
      await publisher.whenReady(signal);
      connection.markConnected();
      const response = worthPublishing(file, fetched, known.get(key), now());
      if (response) {
        await publish(publisher, request, response);
        const isReadable = response.file === null || (await canRead(response.file));
        const etag = isReadable ? response.etag : null;
        known.set(key, { etag, sha256: response.file && hashOf(response.file), isReadable });
      }
      connection.resetFailures();
      due.markDone(file, known.get(key)?.isReadable === false);
    } catch (error) {
      if (signal.aborted) return;
      due.markFailed(file);
      connection.markFailed(error instanceof Error ? error.message : String(error));
      const level = error instanceof UpstreamError ? 'debug' : 'error';
      logger[level]({ error, request }, 'could not request the file of a builder, retrying');
    }
  }
}

/** The response that changes what is known; null without one. That there is no file means something once it is final. */
function worthPublishing(
  { day }: BuilderFile,
  fetched: FetchedFile,
  known: KnownFile | undefined,
  now: number,
): BuilderFileResponse | null {
  if (fetched.kind === 'unchanged') return null;
  if (fetched.kind === 'file') return known?.sha256 === hashOf(fetched.file) ? null : fetched;
  return !known?.isReadable && now >= day + DAY_MS + NO_FILE_MS ? { file: null, etag: null } : null;
}

/** False for a file that is cut off or malformed: the normaliser makes a dead letter of it. */
async function canRead(file: Buffer): Promise<boolean> {
  try {
    for (const _ of readBuilderRows(file)) await nextTurn();
    return true;
  } catch (error) {
    if (error instanceof Lz4Error || error instanceof FieldError) return false;
    throw error;
  }
}

const hashOf = (file: Buffer) => createHash('sha256').update(file).digest('hex');

async function publish(
  publisher: AdapterContext['publisher'],
  request: string,
  response: BuilderFileResponse,
): Promise<void> {
  const text = Buffer.from(builderFileText(response));
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length; at += BUILDER_FILES.partBytes)
    parts.push(await compress(text.subarray(at, at + BUILDER_FILES.partBytes)));
  await publishExport(publisher, { source: SOURCE, feed: SOURCE, request }, parts);
}
