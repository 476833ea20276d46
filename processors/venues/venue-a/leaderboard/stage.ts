/**
 * Derives leaderboards from the exports of venue_a's stats host. Rows are emitted as their parts arrive, and a board
 * counts only when the record that completes it follows its last row. So a board of which parts are missing, e.g. after
 * a kill of ingest, changes nothing.
 */
import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import { ExportPartError, type PartPlace, readPartPlace, readPartText } from '#schemas/domain/export-parts';
import { FieldError } from '#schemas/domain/json-fields';
import { leaderboardRowTopic, leaderboardTopic } from '#schemas/topics/leaderboard';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { LEADERBOARD_REQUEST, parseLeaderboardRows } from '#schemas/venues/venue-a/leaderboard-export';
import { readRow } from './read-row.ts';

/** Complete boards that are published: the newest may not be in the table yet, so readers need the one before. */
const PUBLISHED_BOARDS = 3;
/** Rows of one board that may be unreadable. With more of them the export has changed its shape, and the board is dropped. */
const BAD_ROWS_MAX = 100;

/** The board whose parts are arriving. */
interface OpenBoard {
  readonly capturedAt: number;
  readonly count: number;
  nextIndex: number;
  badRows: number;
}

export interface LeaderboardState {
  open: OpenBoard | null;
  /** The traders of the open board; as many as it has rows so far, and none between two boards. */
  readonly addresses: Set<string>;
  /** Times of the published boards, oldest first. */
  published: readonly number[];
}

export function createLeaderboardStage(): Stage<LeaderboardState> {
  return {
    name: 'leaderboard.venue_a',
    slicedMaps: ['addresses'],
    inputs: [on(rawTopic('venue_a', 'stats'), onPart)],
    outputs: [leaderboardRowTopic, leaderboardTopic],
    initialState: () => ({ open: null, addresses: new Set(), published: [] }),
  };
}

function onPart(state: LeaderboardState, { value }: StageRecord<RawEnvelope>, emit: Emit): void {
  if (value.request !== LEADERBOARD_REQUEST) return;
  try {
    const place = readPartPlace(value.payload);
    if (place.index === 0) openBoard(state, value.receivedAt, place.count);
    const board = state.open;
    // The part of a board whose earlier parts are missing, or which was dropped.
    if (board?.nextIndex !== place.index || board.count !== place.count) {
      dropBoard(state);
      return;
    }
    addRows(state, board, parseRows(value, place), emit);
    if (board.badRows > BAD_ROWS_MAX) dropBoard(state);
    else if (board.nextIndex === board.count) completeBoard(state, board, emit);
  } catch (error) {
    const isMalformed = error instanceof ExportPartError || error instanceof SyntaxError || error instanceof FieldError;
    if (!isMalformed) throw error;
    dropBoard(state);
    emit.deadLetter('malformed_export', error.message);
  }
}

function parseRows({ payload }: RawEnvelope, { index, count }: PartPlace): readonly unknown[] {
  return parseLeaderboardRows(readPartText(payload), { isFirst: index === 0, isLast: index === count - 1 });
}

function openBoard(state: LeaderboardState, capturedAt: number, count: number): void {
  dropBoard(state);
  state.open = { capturedAt, count, nextIndex: 0, badRows: 0 };
}

function dropBoard(state: LeaderboardState): void {
  state.open = null;
  state.addresses.clear();
}

function addRows(state: LeaderboardState, board: OpenBoard, rows: readonly unknown[], emit: Emit): void {
  for (const value of rows) {
    try {
      const row = readRow(value, board.capturedAt);
      // A trader counts once; the first row of an address is used.
      if (state.addresses.has(row.address)) continue;
      state.addresses.add(row.address);
      emit(leaderboardRowTopic, row.address, row);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      board.badRows += 1;
      emit.deadLetter('malformed_row', error.message);
      if (board.badRows > BAD_ROWS_MAX) return;
    }
  }
  board.nextIndex += 1;
}

/** Publishes the board, unless it lists nobody. */
function completeBoard(state: LeaderboardState, { capturedAt }: OpenBoard, emit: Emit): void {
  const rows = state.addresses.size;
  dropBoard(state);
  if (rows === 0) return;
  emit(leaderboardTopic, String(capturedAt), { capturedAt, rows });
  const published = [...state.published, capturedAt];
  for (const old of published.slice(0, -PUBLISHED_BOARDS)) emit.remove(leaderboardTopic, String(old));
  state.published = published.slice(-PUBLISHED_BOARDS);
}
