/**
 * The state as texts that a snapshot holds: its rows without the indices, which follow from them. Rows stand in the
 * order in which they came into the state, so that the indices come out in the same order too.
 */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import { type Kept, putAnswer } from './idempotency.ts';
import { putAttribution, putKey, putOrganization, putSession, putWallet, putWebhook } from './indices.ts';
import { jsonLength } from './json-length.ts';
import { type ControlState, initialControlState } from './state.ts';

/**
 * To be raised when rows change, or when the reducer comes to other verdicts: older snapshots then count for nothing. The
 * stage `organizations` holds the same state; its `stateVersion` is raised too.
 */
export const CONTROL_STATE_VERSION = 2;

/** One text is made and read in about 10 ms. */
const SLICE_ROWS = 2_000;
/** About how many characters of rows begin another text, far below the longest that there can be (512 MiB). */
const SLICE_LENGTH = 4 * 1_024 * 1_024;

/** What comes before all rows. */
interface Head {
  readonly kind: 'head';
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
/** Every map of the state that is no index. */
type RowMaps = {
  readonly [Kind in Exclude<keyof ControlState, Indices> as ControlState[Kind] extends Map<string, unknown>
    ? Kind
    : never]: ControlState[Kind];
};
type RowKind = keyof RowMaps;
type RowOf<Kind extends RowKind> = RowMaps[Kind] extends Map<string, infer Row> ? Row : never;

/** How each kind of row comes back into the state, in the order of a snapshot. A kind that is missing does not compile. */
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

/** Answers of one owner. */
interface Answers {
  readonly kind: 'answers';
  readonly generation: 'current' | 'previous';
  readonly owner: string;
  readonly rows: readonly (Kept & { readonly name: string })[];
}

type Piece = Head | Rows | Answers;

/** What holds the state as it was when this was called, while the state goes on: rows are never changed in place. */
export function piecesOf(state: ControlState): readonly Piece[] {
  const { recentIds, idempotency } = state;
  const pieces: Piece[] = [
    {
      kind: 'head',
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
    for (const [owner, kept] of idempotency[generation].kept)
      add(
        Array.from(kept.byName, ([name, answer]) => ({ name, ...answer })),
        { kind: 'answers', generation, owner },
      );
  return pieces;
}

/** Each piece as JSON, long ones as several, with pauses in between, so that what else runs here goes on. */
export async function packPieces(pieces: readonly Piece[]): Promise<Buffer[]> {
  const packed: Buffer[] = [];
  const pack = async (piece: object) => {
    packed.push(Buffer.from(JSON.stringify(piece)));
    await yieldToIo();
  };
  for (const piece of pieces) {
    if (piece.kind === 'head') await pack(piece);
    else for (const rows of slicesOf(piece.rows)) await pack({ ...piece, rows: tableOf(rows) });
  }
  return packed;
}

/** The rows in their order, cut where a text would become long. */
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

/** The state that the texts hold. Throws where they are none of `packPieces`. */
export function unpackState(packed: readonly Uint8Array[]): ControlState {
  const state = initialControlState();
  for (const bytes of packed) {
    const { buffer, byteOffset, byteLength } = bytes;
    const piece = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
    take(state, piece.kind === 'head' ? piece : { ...piece, rows: rowsOf(piece.rows) });
  }
  return state;
}

/** Rows column by column, which is read in half the time; as they are where one has a field that another lacks. */
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

function take(state: ControlState, piece: Piece): void {
  if (piece.kind === 'head') takeHead(state, piece);
  else if (piece.kind === 'answers') takeAnswers(state, piece);
  else takeRows(state, piece);
}

function takeRows<Kind extends RowKind>(state: ControlState, { kind, rows }: Rows<Kind>): void {
  if (!Object.hasOwn(PUT, kind))
    throw new Error(`no piece of the control state: ${JSON.stringify(kind)?.slice(0, 60)}`);
  const put = PUT[kind];
  for (const row of rows) put(state, row);
}

function takeAnswers(state: ControlState, { generation, owner, rows }: Answers): void {
  const { kept } = state.idempotency[generation];
  for (const { name, at, bodyDigest, answer } of rows) putAnswer(kept, owner, name, { at, bodyDigest, answer });
}

function takeHead(state: ControlState, head: Head): void {
  state.firstOrganizationId = head.firstOrganizationId;
  for (const id of head.seededKeyIds) state.seededKeyIds.add(id);
  state.recentIds.current = new Set(head.recentIds.current);
  state.recentIds.previous = new Set(head.recentIds.previous);
  for (const generation of ['current', 'previous'] as const)
    state.idempotency[generation] = { startedAt: head.startedAt[generation], kept: new Map() };
}
