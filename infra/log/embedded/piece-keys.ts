/** Key of a piece of a block (`block-tree.ts`). */
export interface PieceKey {
  /** Offset of the first record of the block. */
  readonly offset: number;
  /** Position within the block, from 0. */
  readonly piece: number;
}

/** Highest position of a piece. */
export const PIECE_MAX = 0xff_ff;
const WORD = 2 ** 32;
export const KEY_BYTES = 10;

/** Encodes keys as LMDB keys: the offset in 8 bytes, then the position in 2, big endian, so that they sort as numbers. */
export const PIECE_KEYS = {
  writeKey({ offset, piece }: PieceKey, target: Buffer, start: number): number {
    target.writeUInt32BE(Math.floor(offset / WORD), start);
    target.writeUInt32BE(offset % WORD, start + 4);
    return target.writeUInt16BE(piece, start + 8);
  },
  readKey(source: Buffer, start: number): PieceKey {
    const offset = source.readUInt32BE(start) * WORD + source.readUInt32BE(start + 4);
    return { offset, piece: source.readUInt16BE(start + 8) };
  },
};
