/**
 * The end of a partition that is not a full block yet, in memory. Its records are in the journal, or in the last block of
 * the partition's tree where they were flushed to. Once there are enough for a full block, that block takes their place.
 */
import type { LogRecord } from '../log.ts';
import { bodyOf, compressBlock } from './block-compression.ts';
import {
  type BlockHeader,
  encodeBlock,
  HEADER_BYTES,
  type Position,
  packBlock,
  positionBefore,
  readHeader,
} from './block-layout.ts';

/** Bytes of the body of a full block. More compress little better, and whoever reads one record reads all of them. */
export const FULL_BYTES = 256 * 1024;

/** For what is compressed at once; most full blocks fit. */
const scratch = Buffer.allocUnsafeSlow(2 * FULL_BYTES);

/** A block that is not compressed. */
interface OpenBlock {
  /** Offset of its first record. */
  readonly key: number;
  readonly header: BlockHeader;
  readonly value: Buffer;
}

/** A change of the end of a partition: what a transaction does, and what the run is afterwards. */
export interface RunChange {
  /** Blocks for the tree, in rising order of their keys. */
  readonly put: readonly { readonly key: number; readonly block: Buffer; readonly replaces: boolean }[];
  /** The block for the journal, if there is something for it. */
  readonly journaled: Buffer | null;
  /** Whether the blocks of the run before the change stay in it. */
  readonly keepsOpen: boolean;
  /** Blocks that come to the run. */
  readonly added: readonly OpenBlock[];
  /** Bytes of the bodies of the run afterwards. */
  readonly bytes: number;
  /** Whether the first of the blocks is in the tree too. */
  readonly isStored: boolean;
}

export class OpenRun {
  private open: OpenBlock[] = [];
  private bytes = 0;
  private isStored = false;
  /** Number of the oldest entry of the journal that holds records which are nowhere else; null without one. */
  private journaledFrom: number | null = null;

  /** The blocks, which follow each other; the first may be in the tree as well. */
  get blocks(): readonly OpenBlock[] {
    return this.open;
  }

  /** Position of the last record; null when the run is empty. */
  get last(): Position | null {
    return this.open[this.open.length - 1]?.header.last ?? null;
  }

  /** Whether records are in the journal alone. */
  get isJournaled(): boolean {
    return this.journaledFrom !== null;
  }

  /** Whether an entry of the journal may hold records of this run that are nowhere else. */
  holds(number: number): boolean {
    return this.journaledFrom !== null && this.journaledFrom <= number;
  }

  /** Begins with the last block of the tree, unless that is full. */
  begin(key: number, block: Buffer): void {
    const header = readHeader(block);
    if (header.isFull) return;
    const plain = { ...header, isCompressed: false };
    this.open = [{ key, header: plain, value: header.isCompressed ? packBlock(plain, bodyOf(header, block)) : block }];
    this.bytes = header.bodyBytes;
    this.isStored = true;
  }

  /** Adds a block of the journal. */
  restore(block: Buffer, number: number): void {
    const header = readHeader(block);
    this.open.push({ key: header.first, header, value: block });
    this.bytes += header.bodyBytes;
    this.journaledFrom ??= number;
  }

  /** Drops the blocks of which every record is below this offset. */
  dropBelow(offset: number): void {
    this.open = this.open.filter(({ header }) => header.last.offset >= offset);
    this.bytes = this.open.reduce((sum, { header }) => sum + header.bodyBytes, 0);
  }

  /**
   * Adds records, with offsets behind all others; `commit` what it returns once that is done.
   * @param flushes whether nothing of the run may stay in the journal.
   */
  append(records: readonly LogRecord[], flushes: boolean): RunChange {
    // What the run holds already is not copied: of small appends it has many blocks.
    let keepsOpen = true;
    let added: OpenBlock[] = [];
    let { bytes, isStored } = this;
    const all = () => (keepsOpen ? [...this.open, ...added] : added);
    let journaled: Buffer | null = null;
    const put: { key: number; block: Buffer; replaces: boolean }[] = [];
    for (let from = 0; from < records.length; ) {
      const to = endOfPart(records, from, FULL_BYTES - bytes);
      const continued = added[added.length - 1] ?? (keepsOpen ? this.open[this.open.length - 1] : undefined);
      const block = openBlock(records.slice(from, to), continued?.header.last);
      added.push(block);
      bytes += block.header.bodyBytes;
      if (bytes >= FULL_BYTES) {
        const blocks = all();
        put.push({ key: blocks[0]!.key, block: compressed(blocks, true), replaces: isStored });
        keepsOpen = false;
        added = [];
        bytes = 0;
        isStored = false;
      } else journaled = block.value;
      from = to;
    }
    if (!flushes || bytes === 0) return { put, journaled, keepsOpen, added, bytes, isStored };
    const flush = flushOf(all(), isStored);
    return { ...flush, put: [...put, ...flush.put] };
  }

  /** Brings what is in the journal into the last block of the tree, which later records still join. */
  flush(): RunChange {
    return flushOf(this.open, this.isStored);
  }

  /** The change is on the disk; what is journaled is in the entry of this number. */
  commit({ put, journaled, keepsOpen, added, bytes, isStored }: RunChange, number: number): void {
    if (put.length > 0) this.journaledFrom = null;
    if (journaled) this.journaledFrom ??= number;
    if (keepsOpen) this.open.push(...added);
    else this.open = [...added];
    this.isStored = isStored;
    this.bytes = bytes;
  }
}

function flushOf(blocks: readonly OpenBlock[], isStored: boolean): RunChange {
  const merged = blocks.length === 1 ? blocks[0]! : mergedBlock(blocks);
  const put = [{ key: merged.key, block: compressed([merged], false), replaces: isStored }];
  const { bodyBytes: bytes } = merged.header;
  return { put, journaled: null, keepsOpen: false, added: [merged], bytes, isStored: true };
}

/** End of the records that fill a block which lacks so many bytes; at least one record. */
function endOfPart(records: readonly LogRecord[], from: number, lacking: number): number {
  let bytes = 0;
  let to = from;
  while (to < records.length && (to === from || bytes < lacking)) {
    const { key, value } = records[to]!;
    bytes += key.length + (value?.length ?? 0);
    to += 1;
  }
  return to;
}

function openBlock(records: readonly LogRecord[], continued: Position | undefined): OpenBlock {
  const { header, block } = encodeBlock(records, continued ?? positionBefore(records[0]!));
  return { key: header.first, header, value: block };
}

function mergedBlock(blocks: readonly OpenBlock[]): OpenBlock {
  const body = joinedBody(blocks, null);
  const header = { ...joinedHeader(blocks), isCompressed: false, isFull: false, bodyBytes: body.length };
  return { key: header.first, header, value: packBlock(header, body) };
}

function compressed(blocks: readonly OpenBlock[], isFull: boolean): Buffer {
  return compressBlock({ ...joinedHeader(blocks), isFull }, joinedBody(blocks, scratch));
}

/** The bodies one after the other, in memory that the next call may use again if it fits. */
function joinedBody(blocks: readonly OpenBlock[], into: Buffer | null): Buffer {
  const bytes = blocks.reduce((sum, { header }) => sum + header.bodyBytes, 0);
  const body = into && bytes <= into.length ? into.subarray(0, bytes) : Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const { value } of blocks) {
    body.set(value.subarray(HEADER_BYTES), at);
    at += value.length - HEADER_BYTES;
  }
  return body;
}

function joinedHeader(blocks: readonly OpenBlock[]) {
  const [oldest, newest] = [blocks[0]!.header, blocks[blocks.length - 1]!.header];
  const count = blocks.reduce((sum, { header }) => sum + header.count, 0);
  return { count, first: oldest.first, before: oldest.before, last: newest.last };
}
