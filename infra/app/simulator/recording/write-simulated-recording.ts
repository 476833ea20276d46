import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSimulation, STEP_MS } from '../simulation.ts';
import { createVenueAFeed, type FramePublisher } from '../venues/venue-a/feed.ts';
import { createInfo } from '../venues/venue-a/info.ts';
import { createMarkets, outcomeNumber } from '../venues/venue-a/market.ts';
import { createCatalog } from '../venues/venue-b/catalog.ts';
import { type Block, createChain } from '../venues/venue-b/chain.ts';
import { createChainFeed } from '../venues/venue-b/chain-feed.ts';
import { createClob } from '../venues/venue-b/clob.ts';
import { createVenueBFeed, type MarketPublisher } from '../venues/venue-b/feed.ts';
import { createGamma } from '../venues/venue-b/gamma.ts';
import { createMarketBoard } from '../venues/venue-b/market-board.ts';
import { logText, shortHeadText } from '../venues/venue-b/rpc-text.ts';
import type { Injection } from '../world/injections.ts';
import { BUILDER_DEX } from '../world/ladders.ts';
import type { Question } from '../world/questions.ts';
import { HOUR_MS, SECOND_MS } from '../world/time.ts';
import { assertWorldTime, createWorld, type World } from '../world/world.ts';
import { createNdjsonFile, type NdjsonFile } from './ndjson-file.ts';

export interface SimulatedRecordingOptions {
  readonly seed: number;
  /** Events per second. */
  readonly rate: number;
  readonly events: number;
  readonly coins: number;
  readonly hours: number;
  /** Folder; created if it does not exist, rejected if it is not empty. */
  readonly out: string;
  /** Simulated start time, unix ms. */
  readonly startMs: number;
  readonly gzip: boolean;
  /** Injected anomalies, for tests of detectors. */
  readonly inject?: readonly Injection[];
  /** Called with the finished and the total simulated milliseconds. */
  readonly onProgress?: (doneMs: number, allMs: number) => void;
}

export interface RecordingSummary {
  readonly events: number;
  readonly files: readonly { readonly path: string; readonly lines: number; readonly bytes: number }[];
}

/** Thrown if the folder is not empty. */
export class RecordingFolderError extends Error {
  override name = 'RecordingFolderError';
  readonly code = 'recording_folder';
  readonly canRetry = false;
}

const SOURCES = [
  'venue_a.info',
  'venue_a.ws',
  'venue_b.clob',
  'venue_b.clob_ws',
  'venue_b.gamma',
  'venue_b.rpc',
] as const;
type Source = (typeof SOURCES)[number];
type Files = Readonly<Record<Source, NdjsonFile>>;

/** Steps between two writes to the disk, each with a yield to the event loop. */
const STEPS_PER_TURN = 50;
const PAGE = 100;

async function openFolder(out: string, gzip: boolean): Promise<Files> {
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) {
    throw new RecordingFolderError(`${out} is not empty; choose a new or empty folder`);
  }
  const files = SOURCES.map((source) => [source, createNdjsonFile(join(out, source), gzip)] as const);
  return Object.fromEntries(files) as Record<Source, NdjsonFile>;
}

/** Records the answers that an adapter requests at its start, and again after the catalog has changed. */
function createAnswerRecorder(world: World, files: Files) {
  const markets = createMarkets(world);
  const info = createInfo(world, markets);
  const board = createMarketBoard(world);
  const catalog = createCatalog(world, board);
  const gamma = createGamma(board, catalog);
  const clob = createClob(world, board);
  const answerLine = (source: Source, atMs: number, request: unknown, text: string) =>
    files[source].line(atMs, `{"at":${atMs},"source":"${source}","request":${JSON.stringify(request)},"data":${text}}`);

  const recordInfo = async (body: Readonly<Record<string, unknown>>, atMs: number) => {
    const { status, text } = await info(body, atMs);
    if (status === 200) answerLine('venue_a.info', atMs, body, text);
  };
  const recordGamma = (path: string, atMs: number) => {
    const url = new URL(path, 'http://gamma');
    const { status, text } = gamma(url.pathname, url.searchParams, atMs);
    if (status === 200) answerLine('venue_b.gamma', atMs, `GET ${path}`, text);
    return text;
  };
  const recordPages = (collection: 'events' | 'markets', atMs: number) => {
    let cursor: string | undefined;
    do {
      const after = cursor === undefined ? '' : `&after_cursor=${cursor}`;
      const text = recordGamma(`/${collection}/keyset?limit=${PAGE}&closed=false${after}`, atMs);
      cursor = (JSON.parse(text) as { next_cursor?: string }).next_cursor;
    } while (cursor !== undefined);
  };
  const recordMarket = (question: Question, atMs: number) => {
    const { conditionId } = world.idsOf(question);
    const { status, text } = clob.get(`/markets/${conditionId}`, new URLSearchParams(), atMs);
    if (status === 200) answerLine('venue_b.clob', atMs, `GET /markets/${conditionId}`, text);
  };

  return {
    markets,
    board,
    catalog,
    async atStart(atMs: number) {
      const bodies = [
        { type: 'perpDexs' },
        { type: 'meta' },
        { type: 'metaAndAssetCtxs' },
        { type: 'meta', dex: BUILDER_DEX.name },
        { type: 'metaAndAssetCtxs', dex: BUILDER_DEX.name },
        { type: 'spotMeta' },
        { type: 'spotMetaAndAssetCtxs' },
        { type: 'outcomeMeta' },
        { type: 'allMids' },
      ];
      for (const body of bodies) await recordInfo(body, atMs);
      recordPages('events', atMs);
      recordPages('markets', atMs);
      for (const slot of world.venueB.slots) recordMarket(world.venueB.liveIn(slot.index, atMs), atMs);
    },
    /** Records the market of a question that was resolved later than others of its hour. */
    afterResult: recordMarket,
    /** Records the new catalog and the results of expired questions, after the first results of an hour are known. */
    async afterHour(hourMs: number, atMs: number) {
      await recordInfo({ type: 'outcomeMeta' }, atMs);
      for (const question of world.venueA.expiringAt(hourMs)) {
        await recordInfo({ type: 'settledOutcome', outcome: outcomeNumber(question, world.venueA.slots.length) }, atMs);
      }
      recordPages('events', atMs);
      recordPages('markets', atMs);
      for (const question of world.venueB.expiringAt(hourMs)) {
        recordMarket(question, atMs);
        recordMarket(world.venueB.liveIn(question.slot.index, atMs), atMs);
      }
    },
  };
}

/** Records all frames that an adapter subscribes to. */
function createFrameRecorder(files: Files, now: () => number) {
  const frame = (source: 'venue_a.ws' | 'venue_b.clob_ws', text: string) =>
    files[source].line(now(), `{"at":${now()},"source":"${source}","data":${text}}`);
  const venueA: FramePublisher = {
    // Best prices and five-level books are contained in the full books.
    wants: (topic) => !topic.startsWith('bbo ') && !topic.startsWith('l2Book.fast '),
    publish: (_topic, text) => frame('venue_a.ws', text),
    candleIntervals: () => [],
  };
  const recordFrame = (_id: string, text: string) => frame('venue_b.clob_ws', text);
  const venueB: MarketPublisher = {
    wants: () => true,
    wantsCustom: () => true,
    toMarket: recordFrame,
    toToken: recordFrame,
    toTokenCustom: recordFrame,
    toCustom: (text) => recordFrame('', text),
  };
  const blocks = (_removed: readonly Block[], added: readonly Block[]) => {
    for (const block of added) {
      const begin = `{"at":${now()},"source":"venue_b.rpc",`;
      files['venue_b.rpc'].line(now(), `${begin}"block":${shortHeadText(block)}}`);
      for (const log of block.logs) files['venue_b.rpc'].line(now(), `${begin}"log":${logText(block, log, false)}}`);
    }
  };
  return { frame, venueA, venueB, blocks };
}

const README = (options: SimulatedRecordingOptions) => `# A simulated recording

Simulated data of both venues, not real market data. Seed ${options.seed}, ${options.rate} events a second,
${options.events} questions on both venues, ${options.coins} coins, ${options.hours} h from ${new Date(options.startMs).toISOString()}.
The same settings give the same files.
`;

/** Writes hours of simulated time as a recording, as fast as possible. The same options give the same bytes. */
export async function writeSimulatedRecording(options: SimulatedRecordingOptions): Promise<RecordingSummary> {
  const { hours, onProgress } = options;
  const startMs = Math.floor(options.startMs / STEP_MS) * STEP_MS;
  assertWorldTime(startMs);
  const world = createWorld(options);
  const files = await openFolder(options.out, options.gzip);
  let nowMs = startMs;
  const answers = createAnswerRecorder(world, files);
  const recorder = createFrameRecorder(files, () => nowMs);
  const venueB = createVenueBFeed(world, answers.board, answers.catalog, recorder.venueB);
  const chain = createChain(world, answers.board, { spontaneousReorgs: false });
  const simulation = createSimulation(world, [
    createVenueAFeed(world, answers.markets, recorder.venueA),
    venueB,
    createChainFeed(chain, recorder.blocks),
  ]);
  /** Records the books that a new subscriber receives immediately. */
  const recordBooks = (questions: readonly Question[], atMs: number) => {
    for (const question of questions) {
      for (const token of [0, 1] as const) {
        const text = venueB.bookFrameAt(answers.board.listed(question), token, atMs);
        if (text) recorder.frame('venue_b.clob_ws', text);
      }
    }
  };

  await answers.atStart(startMs);
  recordBooks(
    world.venueB.slots.map(({ index }) => world.venueB.liveIn(index, startMs - 1)),
    startMs - 1,
  );
  const endMs = startMs + hours * HOUR_MS;
  for (let turn = startMs; turn < endMs; ) {
    for (let step = 0; step < STEPS_PER_TURN && turn < endMs; step += 1, turn += STEP_MS) {
      // A line is received at the end of its step.
      nowMs = turn + STEP_MS;
      simulation.runStep(turn);
      if (turn % HOUR_MS === 0 && turn > startMs) {
        recordBooks(world.venueB.createdAt(turn), turn + STEP_MS - 1);
      }
      if (turn % HOUR_MS > ANSWERS_AFTER_HOUR_MS && turn % SECOND_MS === 0) {
        for (const question of world.venueB.settledIn(turn, turn + SECOND_MS)) answers.afterResult(question, nowMs);
      }
      if (turn % HOUR_MS === ANSWERS_AFTER_HOUR_MS) await answers.afterHour(turn - ANSWERS_AFTER_HOUR_MS, nowMs);
    }
    for (const file of Object.values(files)) await file.drain();
    await new Promise((resolve) => setImmediate(resolve));
    onProgress?.(turn - startMs, endMs - startMs);
  }
  await Promise.all(Object.values(files).map((file) => file.close()));
  await writeFile(join(options.out, 'README.md'), README(options));
  return {
    events: simulation.counts.events,
    files: Object.values(files).map((file) => ({ path: file.path, ...file.stats() })),
  };
}

/**
 * Time after the hour at which the catalogs are recorded again: every automatic result of the hour is known by then.
 */
const ANSWERS_AFTER_HOUR_MS = 90_000;
