/**
 * The tree of a partition: its blocks (`block-layout.ts`), by the offset of their first record.
 *
 * A block is stored in pieces. Two of them fill a page, so LMDB only ever needs single pages. A larger value takes a run
 * of pages: runs that values release are cut up for values of other lengths, and the single pages that are left over
 * are seldom used again. At 3,000 simulated events a second there were 600 more of them each minute. LMDB checks its
 * list of free pages in each commit, which takes time proportional to the square of its length.
 */
import type { Database, DatabaseOptions, RootDatabase } from 'lmdb';
import { KEY_BYTES, PIECE_KEYS, PIECE_MAX, type PieceKey } from './piece-keys.ts';
import { bytesOf } from './tree-stats.ts';

const PAGE_BYTES = 4_096;
const PAGE_HEADER_BYTES = 24;
const SLOT_BYTES = 2;
const NODE_HEADER_BYTES = 8;
/** Bytes of a piece, two of which fill a page; LMDB stores a larger value in pages of its own. */
export const PIECE_BYTES = (PAGE_BYTES - PAGE_HEADER_BYTES) / 2 - SLOT_BYTES - NODE_HEADER_BYTES - KEY_BYTES;

const APPEND = { append: true } as const;

/** A block, keyed by the offset of its first record. */
export interface StoredBlock {
  readonly key: number;
  readonly value: Buffer;
}

/**
 * Stores pieces without encoding. LMDB returns each one in memory that it reuses for the next, so it is copied: into
 * Node's pool, where a copy takes half as long as in a separate buffer, which is what lmdb would make.
 */
const AS_PACKED = {
  encode: (value: Buffer): Buffer => value,
  decode(bytes: Buffer): Buffer {
    const copy = Buffer.allocUnsafe(bytes.length);
    // lmdb shortens only `length`, not the underlying typed array.
    copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset, copy.length));
    return copy;
  },
};

/** `keyEncoder` and the form of `encoder` are missing in the types of a single database. */
const OPTIONS: DatabaseOptions & { readonly keyEncoder: typeof PIECE_KEYS; readonly encoder: typeof AS_PACKED } = {
  encoding: 'binary',
  keyEncoder: PIECE_KEYS,
  encoder: AS_PACKED,
};

type PieceDb = Pick<Database<Buffer, PieceKey & []>, 'getStats' | 'clearSync'> & {
  getRange(range: object): Iterable<{ readonly key: PieceKey; readonly value: Buffer }>;
  getKeys(range: object): Iterable<PieceKey>;
  removeSync(key: PieceKey): boolean;
  /** Returns false if it was refused, such as an append of a key that is not the highest. */
  putSync(key: PieceKey, piece: Buffer, options?: { readonly append?: true }): boolean;
};

export class BlockTree {
  private readonly db: PieceDb;

  private constructor(db: PieceDb) {
    this.db = db;
  }

  /** Opens the tree of this name; null when it does not exist and nothing may be written. */
  static open(root: RootDatabase<Buffer, Buffer>, name: string): BlockTree | null {
    const db = root.openDB(name, OPTIONS) as unknown as PieceDb | undefined;
    return db ? new BlockTree(db) : null;
  }

  /** Key of the first block; null if there is none. */
  firstKey(): number | null {
    for (const { offset } of this.db.getKeys({ start: FIRST, limit: 1 })) return offset;
    return null;
  }

  /** The last block that begins at or before this offset. */
  at(offset: number): StoredBlock | null {
    for (const block of this.backwards(offset)) return block;
    return null;
  }

  /** Blocks that begin at or after this offset. */
  *from(offset: number, limit = Number.POSITIVE_INFINITY): Generator<StoredBlock> {
    let left = limit;
    let current = Number.NaN;
    let pieces: Buffer[] = [];
    for (const { key, value } of this.db.getRange({ start: { offset, piece: 0 } })) {
      if (key.offset !== current && pieces.length > 0) {
        yield { key: current, value: joined(pieces) };
        left -= 1;
        pieces = [];
      }
      if (left <= 0) return;
      current = key.offset;
      pieces.push(value);
    }
    if (pieces.length > 0) yield { key: current, value: joined(pieces) };
  }

  /** Blocks in reverse order, from the last one that begins at or before this offset. */
  *backwards(offset: number): Generator<StoredBlock> {
    let pieces: Buffer[] = [];
    for (const { key, value } of this.db.getRange(backwardsFrom({ offset, piece: PIECE_MAX }))) {
      pieces.push(value);
      if (key.piece > 0) continue;
      yield { key: key.offset, value: joined(pieces.reverse()) };
      pieces = [];
    }
  }

  /** Adds a block behind all others; returns false if there is one at or behind its key. Call within a transaction. */
  append(key: number, block: Buffer): boolean {
    const isLast = (this.lastKey() ?? -1) < key;
    if (isLast) this.putPieces(key, block, APPEND);
    return isLast;
  }

  /** Adds a block or replaces the one with its key. Call within a transaction. */
  put(key: number, block: Buffer): void {
    this.remove(key);
    if (!this.append(key, block)) this.putPieces(key, block, {});
  }

  /** Removes the block with this key, if there is one. Call within a transaction. */
  remove(key: number): void {
    const range = { start: { offset: key, piece: 0 }, end: { offset: key, piece: PIECE_MAX }, inclusiveEnd: true };
    for (const piece of [...this.db.getKeys(range)]) this.db.removeSync(piece);
  }

  /** Removes all blocks. Call within a transaction. */
  clear(): void {
    this.db.clearSync();
  }

  /** Bytes of the pages of the tree. */
  get bytes(): number {
    return bytesOf(this.db);
  }

  private lastKey(): number | null {
    for (const { offset } of this.db.getKeys({ ...backwardsFrom(LAST), limit: 1 })) return offset;
    return null;
  }

  private putPieces(offset: number, block: Buffer, options: { readonly append?: true }): void {
    for (let at = 0, piece = 0; at < block.length; at += PIECE_BYTES, piece += 1)
      if (!this.db.putSync({ offset, piece }, block.subarray(at, at + PIECE_BYTES), options))
        throw new Error(`piece ${piece} of block ${offset} was refused`);
  }
}

const FIRST: PieceKey = { offset: 0, piece: 0 };
const LAST: PieceKey = { offset: Number.MAX_SAFE_INTEGER, piece: PIECE_MAX };

/** Without an end, lmdb would encode an end of its own as one of our keys. */
function backwardsFrom(start: PieceKey) {
  return { start, end: FIRST, inclusiveEnd: true, reverse: true };
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
