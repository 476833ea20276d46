/** Splits the text of an export into parts, each of which ends after a row of `{"…":[{…},{…},…]}`. */
import { PART_TEXT_BYTES_MAX } from '#schemas/domain/export-parts';

/** Bytes after which a part ends with the current row: some milliseconds of work for whoever parses the part. */
const PART_BYTES = 64 * 1024;
/** Rows are inside of the array of the outermost object. */
const ROWS_DEPTH = 2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

export interface Part {
  readonly text: Buffer;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/**
 * Yields the parts, which together are all bytes. It looks only at brackets and quotes: text that is not JSON is also split
 * into parts, and whoever parses them finds out. The same bytes give the same parts, however they are chunked.
 */
export async function* splitRows(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Part> {
  const borders = new RowBorders();
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let isFirst = true;
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const end = borders.find(chunk, start, PART_BYTES - bytes, PART_TEXT_BYTES_MAX - bytes);
      pieces.push(chunk.subarray(start, end.at));
      bytes += end.at - start;
      start = end.at;
      if (!end.isBorder) continue;
      yield { text: Buffer.concat(pieces), isFirst, isLast: false };
      [pieces, bytes, isFirst] = [[], 0, false];
    }
  }
  yield { text: Buffer.concat(pieces), isFirst, isLast: true };
}

/** Tracks brackets and quotes from one chunk to the next. */
class RowBorders {
  private depth = 0;
  private isInText = false;
  private isEscaped = false;

  /**
   * Finds where the part ends that contains the bytes of the chunk from `start` on: after the first row that ends
   * `least` bytes later or more, or after `most` bytes. Without a border, it is the end of the chunk.
   */
  find(
    chunk: Uint8Array,
    start: number,
    least: number,
    most: number,
  ): { readonly at: number; readonly isBorder: boolean } {
    for (let at = start; at < chunk.length; at += 1) {
      const length = at + 1 - start;
      if ((this.endsRow(chunk[at]!) && length >= least) || length >= most) return { at: at + 1, isBorder: true };
    }
    return { at: chunk.length, isBorder: false };
  }

  private endsRow(byte: number): boolean {
    if (this.isInText) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInText = false;
      return false;
    }
    if (byte === QUOTE) this.isInText = true;
    else if (OPENING.has(byte)) this.depth += 1;
    else if (CLOSING.has(byte)) {
      this.depth -= 1;
      return this.depth === ROWS_DEPTH;
    }
    return false;
  }
}
