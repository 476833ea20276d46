/**
 * The end of a partition, in memory, that is not in its tree as full blocks yet. Its records are in the journal, or in
 * the last block of the tree if they were flushed. Once there are enough records, a full block takes their place.
 */
import type { LogRecord } from '../log.ts';
import { bodyOf, compressBlock } from './block-compression.ts';
import { HEADER_BYTES, type Position, packBlock, positionBefore, readHeader, writeHeader } from './block-layout.ts';
import type { EntryPacker } from './journal-entry.ts';
import { FULL_BYTES, type OpenBlock } from './open-block.ts';

/** Full blocks moved at a time: a nearly full disk may accept only a few. */
const MOVE_BLOCKS_MAX = 4;

/** Memory for compression; most full blocks fit. */
const scratch = Buffer.allocUnsafeSlow(2 * FULL_BYTES);

/** Blocks to move into the tree. */
export interface RunMove {
  /** Blocks for the tree, in rising order of their keys. */
  readonly put: readonly { readonly key: number; readonly block: Buffer; readonly replaces: boolean }[];
  /** Number of full blocks that leave the run. */
  readonly full: number;
  /** Records joined to the last block of the tree, which stay in the run; null if there are none. */
  readonly flushed: OpenBlock | null;
}

export class OpenRun {
  /** Parts of full blocks that are not in the tree yet. */
  private full: OpenBlock[][] = [];
  /** Parts of the last block. */
  private open: OpenBlock[] = [];
  /** Bytes of the bodies of the last block. */
  private bytes = 0;
  /** True if the first part is in the tree too. */
  private isStored = false;

  /** All parts, in order; the first may be in the tree as well. */
  get blocks(): readonly OpenBlock[] {
    return this.full.length === 0 ? this.open : [...this.full, this.open].flat();
  }

  /** Position of the last record; null if the run is empty. */
  get last(): Position | null {
    return (this.open.at(-1) ?? this.full.at(-1)?.at(-1))?.header.last ?? null;
  }

  /** Number of full blocks that are not in the tree yet. */
  get fullBlocks(): number {
    return this.full.length;
  }

  /** True if there are records that only the journal holds. */
  get isJournaled(): boolean {
    return this.holds(Number.POSITIVE_INFINITY);
  }

  /** True if there are records that only the journal holds, in entries up to this number. */
  holds(number: number): boolean {
    const [first, second] = this.full[0] ?? this.open;
    const from = first?.number ?? second?.number ?? null;
    return from !== null && from <= number;
  }

  /** Starts with the last block of the tree, unless that is full. */
  begin(key: number, block: Buffer): void {
    const header = readHeader(block);
    if (header.isFull) return;
    const plain = { ...header, isCompressed: false };
    const value = header.isCompressed ? packBlock(plain, bodyOf(header, block)) : block;
    this.open = [{ key, header: plain, value, number: null }];
    this.bytes = header.bodyBytes;
    this.isStored = true;
  }

  /**
   * Packs records, with offsets behind all others, into an entry. Pass the returned blocks to `add` once the entry is
   * in the journal.
   */
  pack(name: string, records: readonly LogRecord[], entry: EntryPacker): OpenBlock[] {
    const added: OpenBlock[] = [];
    let { bytes } = this;
    let before = this.open.at(-1)?.header.last;
    for (let from = 0; from < records.length; ) {
      const lacking = FULL_BYTES - bytes;
      const to = endOfPart(records, from, lacking);
      const block = entry.add(name, records.slice(from, to), before ?? positionBefore(records[from]!), lacking);
      added.push(block);
      bytes = block.header.isFull ? 0 : bytes + block.header.bodyBytes;
      before = block.header.isFull ? undefined : block.header.last;
      from = to;
    }
    return added;
  }

  /** Adds a part of the journal. */
  add(block: OpenBlock): void {
    this.open.push(block);
    this.bytes += block.header.bodyBytes;
    if (!block.header.isFull) return;
    this.full.push(this.open);
    this.open = [];
    this.bytes = 0;
  }

  /** Drops the parts with no record at or above this offset. */
  dropBelow(offset: number): void {
    const remaining = (blocks: OpenBlock[]) => blocks.filter(({ header }) => header.last.offset >= offset);
    this.full = this.full.map(remaining).filter(({ length }) => length > 0);
    this.open = remaining(this.open);
    this.bytes = bodyBytesOf(this.open);
  }

  /**
   * Makes blocks for the tree, at most a few. Call `moved` once they are there.
   * @param flushes also joins the incomplete block, behind all full ones, to the last block of the tree, which later
   * records still join.
   */
  move(flushes: boolean): RunMove {
    const put = this.full.slice(0, MOVE_BLOCKS_MAX).map((blocks, index) => ({
      key: blocks[0]!.key,
      block: compressed(blocks, true),
      replaces: index === 0 && this.isStored,
    }));
    if (!flushes || this.open.length === 0 || put.length < this.full.length)
      return { put, full: put.length, flushed: null };
    const flushed = merged(this.open);
    const last = { key: flushed.key, block: compressed([flushed], false), replaces: put.length === 0 && this.isStored };
    return { put: [...put, last], full: put.length, flushed };
  }

  /** Updates the run after a move. */
  moved({ full, flushed }: RunMove): void {
    this.full.splice(0, full);
    if (flushed) this.open = [flushed];
    if (full > 0 || flushed) this.isStored = flushed !== null;
  }
}

/** Returns the end of the records that complete a block lacking this many bytes; at least one record. */
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

/** Joins parts to one block, in separate memory: it is used longer than the memory of its parts. */
function merged(blocks: readonly OpenBlock[]): OpenBlock {
  const bodyBytes = bodyBytesOf(blocks);
  const value = Buffer.allocUnsafe(HEADER_BYTES + bodyBytes);
  const header = { ...joinedHeader(blocks), isCompressed: false, isFull: false, bodyBytes };
  writeHeader(value, header);
  joinBodies(blocks, value.subarray(HEADER_BYTES));
  return { key: header.first, header, value, number: null };
}

function compressed(blocks: readonly OpenBlock[], isFull: boolean): Buffer {
  const header = { ...joinedHeader(blocks), isFull };
  if (blocks.length === 1) return compressBlock(header, blocks[0]!.value.subarray(HEADER_BYTES));
  const bytes = bodyBytesOf(blocks);
  const body = bytes <= scratch.length ? scratch.subarray(0, bytes) : Buffer.allocUnsafe(bytes);
  joinBodies(blocks, body);
  return compressBlock(header, body);
}

/** Concatenates the bodies. */
function joinBodies(blocks: readonly OpenBlock[], body: Buffer): void {
  let at = 0;
  for (const { value } of blocks) {
    body.set(value.subarray(HEADER_BYTES), at);
    at += value.length - HEADER_BYTES;
  }
}

function bodyBytesOf(blocks: readonly OpenBlock[]): number {
  return blocks.reduce((sum, { header }) => sum + header.bodyBytes, 0);
}

function joinedHeader(blocks: readonly OpenBlock[]) {
  const [oldest, newest] = [blocks[0]!.header, blocks[blocks.length - 1]!.header];
  const count = blocks.reduce((sum, { header }) => sum + header.count, 0);
  return { count, first: oldest.first, before: oldest.before, last: newest.last };
}
