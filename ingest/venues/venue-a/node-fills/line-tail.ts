/** Reads the lines of one file that another process appends to. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { isMissing } from './fill-files.ts';

/** Bytes of one read. */
const CHUNK_BYTES = 256 * 1024;
/** A line that is longer is passed on in pieces, which protects memory. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const LINE_END = 0x0a;

/** A line without its end, and the offset of the next one. */
export interface TailLine {
  readonly bytes: Buffer;
  readonly nextOffset: number;
}

export class LineTail {
  private readonly path: string;
  private readonly file: FileHandle;
  private readonly inode: number;
  /** Offset of the first byte that was not read. */
  private readUntil: number;
  /** The beginning of a line whose end was not read yet. */
  private pieces: Buffer[] = [];
  private bytesOfPieces = 0;

  private constructor(path: string, file: FileHandle, inode: number, offset: number) {
    this.path = path;
    this.file = file;
    this.inode = inode;
    this.readUntil = offset;
  }

  /** Opens a file at the start of a line; null if it does not exist. A file that is shorter is read from its start. */
  static async open(path: string, offset: number): Promise<LineTail | null> {
    try {
      const file = await open(path, 'r');
      const { size, ino } = await file.stat();
      return new LineTail(path, file, ino, size < offset ? 0 : offset);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Length of the beginning of a line whose end was not read yet. */
  get pendingBytes(): number {
    return this.bytesOfPieces;
  }

  /** Reads the next lines; empty if there is no complete one. `hasRead` is false at the end of the file. */
  async read(): Promise<{ readonly hasRead: boolean; readonly lines: readonly TailLine[] }> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, this.readUntil);
    if (bytesRead === 0) return { hasRead: false, lines: [] };
    const chunk = buffer.subarray(0, bytesRead);
    const chunkAt = this.readUntil;
    this.readUntil += bytesRead;
    const lines: TailLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      lines.push({ bytes: this.complete(chunk.subarray(from, end)), nextOffset: chunkAt + end + 1 });
      from = end + 1;
    }
    this.pieces.push(chunk.subarray(from));
    this.bytesOfPieces += bytesRead - from;
    if (this.bytesOfPieces > LINE_BYTES_MAX) lines.push(this.drainPending());
    return { hasRead: true, lines };
  }

  /** Returns the beginning of a line as a line. */
  drainPending(): TailLine {
    return { bytes: this.complete(Buffer.alloc(0)), nextOffset: this.readUntil };
  }

  /** True if the file was truncated or replaced, so that what was read is not its beginning any more. */
  async isReplaced(): Promise<boolean> {
    try {
      const { size, ino } = await stat(this.path);
      return size < this.readUntil || ino !== this.inode;
    } catch (error) {
      // A deleted file is read to its end.
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  private complete(rest: Buffer): Buffer {
    const line = Buffer.concat([...this.pieces, rest]);
    this.pieces = [];
    this.bytesOfPieces = 0;
    return line;
  }
}
