/**
 * The state as texts that a snapshot holds: its rows without the indices, which follow from them. Rows stand in the
 * order in which they came into the state, so that the indices come out in the same order too.
 */
import { setImmediate as yieldToIo } from 'node:timers/promises';
import type { Kept } from './idempotency.ts';
import { putAttribution, putKey, putOrganization, putSession, putWallet, putWebhook } from './indices.ts';
import {
  type Attribution,
  type ControlState,
  initialControlState,
  type Key,
  type Organization,
  type Session,
  type Wallet,
  type Webhook,
} from './state.ts';

/** To be raised when rows change, or when the reducer comes to other verdicts: older snapshots then count for nothing. */
export const CONTROL_STATE_VERSION = 1;

/** One text is made and read in about 10 ms. */
const SLICE_ROWS = 2_000;

/** What comes before all rows. */
interface Head {
  readonly kind: 'head';
  readonly firstOrganizationId: string | null;
  readonly seededKeyIds: readonly string[];
  readonly recentIds: { readonly current: readonly string[]; readonly previous: readonly string[] };
  readonly startedAt: { readonly current: number; readonly previous: number };
}

type Rows =
  | { readonly kind: 'organizations'; readonly rows: readonly Organization[] }
  | { readonly kind: 'keys'; readonly rows: readonly Key[] }
  | { readonly kind: 'wallets'; readonly rows: readonly Wallet[] }
  | { readonly kind: 'attributions'; readonly rows: readonly Attribution[] }
  | { readonly kind: 'webhooks'; readonly rows: readonly Webhook[] }
  | { readonly kind: 'sessions'; readonly rows: readonly Session[] }
  /** Answers of one owner. */
  | {
      readonly kind: 'answers';
      readonly generation: 'current' | 'previous';
      readonly owner: string;
      readonly rows: readonly (Kept & { readonly name: string })[];
    };

type Piece = Head | Rows;

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
  add([...state.organizations.values()], { kind: 'organizations' });
  add([...state.keys.values()], { kind: 'keys' });
  add([...state.wallets.values()], { kind: 'wallets' });
  add([...state.attributions.values()], { kind: 'attributions' });
  add([...state.webhooks.values()], { kind: 'webhooks' });
  add([...state.sessions.values()], { kind: 'sessions' });
  for (const generation of ['previous', 'current'] as const)
    for (const [owner, kept] of idempotency[generation].kept)
      add(
        Array.from(kept, ([name, answer]) => ({ name, ...answer })),
        { kind: 'answers', generation, owner },
      );
  return pieces;
}

/** Each piece as JSON, with pauses in between, so that what else runs here goes on. */
export async function packPieces(pieces: readonly Piece[]): Promise<Buffer[]> {
  const packed: Buffer[] = [];
  for (const piece of pieces) {
    packed.push(Buffer.from(JSON.stringify(piece.kind === 'head' ? piece : { ...piece, rows: tableOf(piece.rows) })));
    await yieldToIo();
  }
  return packed;
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
  switch (piece.kind) {
    case 'head':
      takeHead(state, piece);
      return;
    case 'organizations':
      for (const row of piece.rows) putOrganization(state, row);
      return;
    case 'keys':
      for (const row of piece.rows) putKey(state, row);
      return;
    case 'wallets':
      for (const row of piece.rows) putWallet(state, row);
      return;
    case 'attributions':
      for (const row of piece.rows) putAttribution(state, row);
      return;
    case 'webhooks':
      for (const row of piece.rows) putWebhook(state, row);
      return;
    case 'sessions':
      for (const row of piece.rows) putSession(state, row);
      return;
    case 'answers': {
      const { kept } = state.idempotency[piece.generation];
      const own = kept.get(piece.owner) ?? new Map<string, Kept>();
      kept.set(piece.owner, own);
      for (const { name, at, bodyDigest, answer } of piece.rows) own.set(name, { at, bodyDigest, answer });
      return;
    }
    default:
      throw new Error(`no piece of the control state: ${JSON.stringify(piece).slice(0, 60)}`);
  }
}

function takeHead(state: ControlState, head: Head): void {
  state.firstOrganizationId = head.firstOrganizationId;
  for (const id of head.seededKeyIds) state.seededKeyIds.add(id);
  state.recentIds.current = new Set(head.recentIds.current);
  state.recentIds.previous = new Set(head.recentIds.previous);
  for (const generation of ['current', 'previous'] as const)
    state.idempotency[generation] = { startedAt: head.startedAt[generation], kept: new Map() };
}
