const WORD = 2 ** 32;

/**
 * Encodes offsets as LMDB keys: 8 bytes big endian, so that LMDB's byte order is the log's order. Works on plain
 * numbers, without a buffer for each key.
 */
export const OFFSET_KEYS = {
  writeKey(offset: number, target: Buffer, start: number): number {
    target.writeUInt32BE(Math.floor(offset / WORD), start);
    return target.writeUInt32BE(offset % WORD, start + 4);
  },
  readKey(source: Buffer, start: number): number {
    return source.readUInt32BE(start) * WORD + source.readUInt32BE(start + 4);
  },
};
