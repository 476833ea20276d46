/**
 * Encodes the state for a snapshot: its rows without the indices, which follow from them. Rows are in the order in which
 * they were added to the state, so that the restored indices have the same order too.
 */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import { putAnswer, type StoredAnswer } from './idempotency.ts';
import { putAttribution, putKey, putOrganization, putSession, putWallet, putWebhook } from './indices.ts';
import { jsonLength } from './json-length.ts';
import { type ControlState, initialControlState } from './state.ts';

/**
 * Raise it when rows or the verdicts of the reducer change: older snapshots are then ignored. The stage `organizations`
 * holds the same state, so raise its `stateVersion` too.
 */
export const CONTROL_STATE_VERSION = 3;

/** A piece of so many rows is encoded or decoded in about 10 ms. */
const SLICE_ROWS = 2_000;
/** Approximate characters of rows in one piece, far below the longest possible string (512 MiB). */
const SLICE_LENGTH = 4 * 1_024 * 1_024;

/** The first piece, before all rows. */
interface Header {
  readonly kind: 'header';
  readonly firstOrganizationId: string | null;
  readonly seededKeyIds: readonly string[];
  readonly recentIds: { readonly current: readonly string[]; readonly previous: readonly string[] };
  readonly startedAt: { readonly current: number; readonly previous: number };
}

/** Maps of the state that follow from its rows. */
type Indices =
  | 'keysByOrganization'
  | 'adminKeys'
  | 'walletsByOwner'
  | 'walletsByAddress'
  | 'attributionsByOwner'
  | 'webhooksByOwner'
  | 'webhooksByEventType'
  | 'sessionsByKey';
/** Every map of the state that is not an index. */
type RowMaps = {
  readonly [Kind in Exclude<keyof ControlState, Indices> as ControlState[Kind] extends Map<string, unknown>
    ? Kind
    : never]: ControlState[Kind];
};
type RowKind = keyof RowMaps;
type RowOf<Kind extends RowKind> = RowMaps[Kind] extends Map<string, infer Row> ? Row : never;

/** Adds each kind of row to the state, in the order of a snapshot. A missing kind does not compile. */
const PUT: { readonly [Kind in RowKind]: (state: ControlState, row: RowOf<Kind>) => void } = {
  organizations: putOrganization,
  keys: putKey,
  wallets: putWallet,
  attributions: putAttribution,
  webhooks: putWebhook,
  sessions: putSession,
};
const ROW_KINDS = Object.keys(PUT) as readonly RowKind[];

interface Rows<Kind extends RowKind = RowKind> {
  readonly kind: Kind;
  readonly rows: readonly RowOf<Kind>[];
}

/** Stored answers of one owner. */
interface Answers {
  readonly kind: 'answers';
  readonly generation: 'current' | 'previous';
  readonly owner: string;
  readonly rows: readonly (StoredAnswer & { readonly name: string })[];
}

type Piece = Header | Rows | Answers;

/** Splits the state into pieces that later commands do not change: rows are never changed in place. */
export function piecesOf(state: ControlState): readonly Piece[] {
  const { recentIds, idempotency } = state;
  const pieces: Piece[] = [
    {
      kind: 'header',
      firstOrganizationId: state.firstOrganizationId,
      seededKeyIds: [...state.seededKeyIds],
      recentIds: { current: [...recentIds.current], previous: [...recentIds.previous] },
      startedAt: { current: idempotency.current.startedAt, previous: idempotency.previous.startedAt },
    },
  ];
  const add = (all: readonly unknown[], piece: object) => {
    for (let at = 0; at < all.length; at += SLICE_ROWS)
      pieces.push({ ...piece, rows: all.slice(at, at + SLICE_ROWS) } as unknown as Rows);
  };
  for (const kind of ROW_KINDS) add([...state[kind].values()], { kind });
  for (const generation of ['previous', 'current'] as const)
    for (const [owner, own] of idempotency[generation].answers)
      add(
        Array.from(own.byName, ([name, answer]) => ({ name, ...answer })),
        { kind: 'answers', generation, owner },
      );
  return pieces;
}

/** Encodes each piece as JSON, long ones as several, and yields to I/O in between so that other work can run. */
export async function packPieces(pieces: readonly Piece[]): Promise<Buffer[]> {
  const packed: Buffer[] = [];
  const pack = async (piece: object) => {
    packed.push(Buffer.from(JSON.stringify(piece)));
    await yieldToIo();
  };
  for (const piece of pieces) {
    if (piece.kind === 'header') await pack(piece);
    else for (const rows of slicesOf(piece.rows)) await pack({ ...piece, rows: tableOf(rows) });
  }
  return packed;
}

/** Splits the rows, in their order, into slices of about `SLICE_LENGTH`. */
function* slicesOf(rows: readonly object[]): Generator<readonly object[]> {
  let [from, length] = [0, 0];
  for (let at = 0; at < rows.length; at += 1) {
    length += jsonLength(rows[at]);
    if (length < SLICE_LENGTH) continue;
    yield rows.slice(from, at + 1);
    [from, length] = [at + 1, 0];
  }
  if (from < rows.length) yield rows.slice(from);
}

/** Restores the state from encoded pieces. Throws for buffers that `packPieces` did not write. */
export function unpackState(packed: readonly Uint8Array[]): ControlState {
  const state = initialControlState();
  for (const bytes of packed) {
    const { buffer, byteOffset, byteLength } = bytes;
    const piece = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
    restorePiece(state, piece.kind === 'header' ? piece : { ...piece, rows: rowsOf(piece.rows) });
  }
  return state;
}

/** Rows column by column, which are decoded in half the time. `others` has rows whose fields differ, as they are. */
interface Table {
  readonly fields: readonly string[];
  readonly columns: readonly (readonly unknown[])[];
  readonly others: readonly object[];
}

function tableOf(rows: readonly object[]): Table {
  const fields = Object.keys(rows[0] ?? {});
  const alike = (row: object) => {
    const names = Object.keys(row);
    return names.length === fields.length && names.every((name, index) => name === fields[index]);
  };
  if (!rows.every(alike)) return { fields: [], columns: [], others: rows };
  const columns = fields.map((field) => rows.map((row) => (row as Record<string, unknown>)[field]));
  return { fields, columns, others: [] };
}

function rowsOf({ fields, columns, others }: Table): readonly object[] {
  if (others.length > 0) return others;
  const rows = new Array<Record<string, unknown>>(columns[0]?.length ?? 0);
  for (let index = 0; index < rows.length; index += 1) {
    const row: Record<string, unknown> = {};
    for (let field = 0; field < fields.length; field += 1) row[fields[field]!] = columns[field]![index];
    rows[index] = row;
  }
  return rows;
}

function restorePiece(state: ControlState, piece: Piece): void {
  if (piece.kind === 'header') restoreHeader(state, piece);
  else if (piece.kind === 'answers') restoreAnswers(state, piece);
  else restoreRows(state, piece);
}

function restoreRows<Kind extends RowKind>(state: ControlState, { kind, rows }: Rows<Kind>): void {
  if (!Object.hasOwn(PUT, kind))
    throw new Error(`unknown piece of the control state: ${JSON.stringify(kind)?.slice(0, 60)}`);
  const put = PUT[kind];
  for (const row of rows) put(state, row);
}

function restoreAnswers(state: ControlState, { generation, owner, rows }: Answers): void {
  const { answers } = state.idempotency[generation];
  for (const { name, at, bodyDigest, answer } of rows) putAnswer(answers, owner, name, { at, bodyDigest, answer });
}

function restoreHeader(state: ControlState, header: Header): void {
  state.firstOrganizationId = header.firstOrganizationId;
  for (const id of header.seededKeyIds) state.seededKeyIds.add(id);
  state.recentIds.current = new Set(header.recentIds.current);
  state.recentIds.previous = new Set(header.recentIds.previous);
  for (const generation of ['current', 'previous'] as const)
    state.idempotency[generation] = { startedAt: header.startedAt[generation], answers: new Map() };
}
