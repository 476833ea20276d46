/**
 * Derives the fills of all users from the files of a self-hosted node, each once, and for how long they are known without
 * a gap. Files may be read again from their start, so what is not newer than the newest fill is recognised.
 */
import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import { FieldError } from '#schemas/domain/json-fields';
import { NODE_FILL_COVERAGE_KEY, nodeFillCoverageTopic, nodeFillTopic } from '#schemas/topics/node-fills';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { type FillLine, type ReadFill, readFill, readLine } from './read-line.ts';

/** Venue time between two records of the coverage. */
const COVERAGE_INTERVAL_MS = 1_000;
/** Without numbers of blocks, a longer time without any fill counts as a gap. */
const SILENCE_MAX_MS = 10_000;

export interface NodeFillsState {
  /** Time of the first block after the newest gap; null if the next block begins anew. */
  since: number | null;
  /** Time of the newest block, 0 before the first one. */
  newestTime: number;
  /** Number of the newest block; null if its line states none. */
  newestBlock: number | null;
  /** Time of the newest fill. */
  newestFillAt: number;
  /** User, coin and tid of the fills of that time; as many as one block has. */
  readonly newestFills: Set<string>;
  /** What was published of the coverage. */
  published: { readonly since: number; readonly until: number } | null;
}

export function createNodeFillsStage(): Stage<NodeFillsState> {
  return {
    name: 'node-fills.venue_a',
    inputs: [on(rawTopic('venue_a', 'node_fills'), onLine)],
    outputs: [nodeFillTopic, nodeFillCoverageTopic],
    initialState: () => ({
      since: null,
      newestTime: 0,
      newestBlock: null,
      newestFillAt: 0,
      newestFills: new Set(),
      published: null,
    }),
  };
}

function onLine(state: NodeFillsState, { value, receivedAt }: StageRecord<RawEnvelope>, emit: Emit): void {
  const line = ifReadable(() => readLine(value.payload.toString()), 'malformed_line', emit);
  if (!line) {
    // Nobody knows what the line contained.
    state.since = null;
    return;
  }
  if (isNew(state, line)) advance(state, line);
  for (const event of line.events) {
    const fill = ifReadable(() => readFill(event), 'malformed_fill', emit);
    if (fill) emitFill(state, fill, receivedAt, emit);
    else state.since = null;
  }
  emitCoverage(state, receivedAt, emit);
}

function ifReadable<T>(read: () => T, reason: string, emit: Emit): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FieldError || error instanceof SyntaxError)) throw error;
    emit.deadLetter(reason, error.message);
    return null;
  }
}

/** False for a block that was read before. */
function isNew({ newestTime, newestBlock }: NodeFillsState, { blockNumber, time }: FillLine): boolean {
  return blockNumber !== null && newestBlock !== null ? blockNumber > newestBlock : time >= newestTime;
}

function advance(state: NodeFillsState, { blockNumber, time }: FillLine): void {
  const isNext =
    blockNumber !== null && state.newestBlock !== null
      ? blockNumber === state.newestBlock + 1
      : time - state.newestTime <= SILENCE_MAX_MS;
  if (!isNext) state.since = null;
  state.since ??= time;
  state.newestTime = time;
  state.newestBlock = blockNumber;
}

function emitFill(state: NodeFillsState, { fill, ...identity }: ReadFill, receivedAt: number, emit: Emit): void {
  const { user, coin, time, tid } = identity;
  if (time < state.newestFillAt) return;
  if (time > state.newestFillAt) {
    state.newestFillAt = time;
    state.newestFills.clear();
  }
  const key = `${user} ${coin} ${tid}`;
  if (state.newestFills.has(key)) return;
  const place = state.newestFills.size;
  state.newestFills.add(key);
  emit(nodeFillTopic, user, { ...identity, place, fill: JSON.stringify(fill), receivedAt });
}

function emitCoverage(state: NodeFillsState, receivedAt: number, emit: Emit): void {
  const { since, newestTime: until, published } = state;
  if (since === null) return;
  if (published?.since === since && until - published.until < COVERAGE_INTERVAL_MS) return;
  state.published = { since, until };
  emit(nodeFillCoverageTopic, NODE_FILL_COVERAGE_KEY, { since, until, receivedAt });
}
