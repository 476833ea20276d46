/**
 * The blocks at the end of a partition that are not full yet, with their bodies in memory. Every append to the partition
 * adds a small block, which costs one put and survives the death of the process; once their bodies make up a full block,
 * one compressed block replaces them, in the same transaction.
 */
import type { LogRecord } from '../log.ts';
import { bodyOf, compressBlock } from './block-compression.ts';
import { encodeBody, isSamePosition, type Position, packBlock, positionBefore, readHeader } from './block-layout.ts';
import type { PartitionDb } from './environment.ts';

/** Bytes of the body of a full block. More compress little better, and whoever reads one record reads all of them. */
export const FULL_BYTES = 256 * 1024;

/** A block of the run. */
interface OpenBlock {
  /** Offset of the first record: the key. */
  readonly first: number;
  readonly count: number;
  readonly before: Position;
  readonly last: Position;
  readonly body: Buffer;
}

/** A change of the end of a partition: what a transaction does, and what the run is afterwards. */
export interface RunChange {
  /** Keys of blocks to remove, before anything is put. */
  readonly removed: readonly number[];
  /** Blocks to put in rising order of their keys, each behind every key that is left. */
  readonly put: readonly { readonly key: number; readonly block: Buffer }[];
  readonly blocks: readonly OpenBlock[];
  /** How many bytes of bodies are not compressed on the disk. */
  readonly plainBytes: number;
}

export class OpenRun {
  private blocks: readonly OpenBlock[] = [];
  private bytes = 0;
  private plain = 0;

  /** Reads the run that a partition ends with. */
  static load(db: PartitionDb): OpenRun {
    const run = new OpenRun();
    const blocks: OpenBlock[] = [];
    for (const { key, value } of db.getRange({
      start: Number.MAX_SAFE_INTEGER,
      end: 0,
      inclusiveEnd: true,
      reverse: true,
    })) {
      const header = readHeader(value);
      const follower = blocks[blocks.length - 1];
      // Behind removed records a block does not continue the one before.
      if (header.isFull || (follower && !isSamePosition(header.last, follower.before))) break;
      const { count, before, last } = header;
      blocks.push({ first: key, count, before, last, body: bodyOf(header, value) });
      run.bytes += header.bodyBytes;
      if (!header.isCompressed) run.plain += header.bodyBytes;
    }
    run.blocks = blocks.reverse();
    return run;
  }

  /** Bytes of bodies that are not compressed on the disk. */
  get plainBytes(): number {
    return this.plain;
  }

  /** Upper bound of what appending so many bytes writes: what joins them in a full block is written again. */
  writtenBytes(added: number): number {
    return this.bytes + added < FULL_BYTES ? added : this.bytes + added;
  }

  /** Adds records, with offsets behind all others; `commit` what it returns once that is done. */
  append(records: readonly LogRecord[]): RunChange {
    let blocks = [...this.blocks];
    let bytes = this.bytes;
    let plainBytes = this.plain;
    let stored = blocks.length;
    const removed: number[] = [];
    const put: { key: number; block: Buffer }[] = [];
    for (let from = 0; from < records.length; ) {
      const to = endOfPart(records, from, FULL_BYTES - bytes);
      const added = openBlock(records.slice(from, to), blocks[blocks.length - 1]?.last);
      blocks.push(added);
      bytes += added.body.length;
      if (bytes >= FULL_BYTES) {
        for (const { first } of blocks.slice(0, stored)) removed.push(first);
        put.push({ key: blocks[0]!.first, block: joined(blocks, true) });
        blocks = [];
        bytes = 0;
        plainBytes = 0;
        stored = 0;
      } else {
        put.push({ key: added.first, block: plainBlock(added) });
        plainBytes += added.body.length;
      }
      from = to;
    }
    return { removed, put, blocks, plainBytes };
  }

  /** Replaces the blocks of the run by a compressed one, which later records still join. */
  compress(): RunChange {
    const { blocks } = this;
    const [oldest, newest] = [blocks[0]!, blocks[blocks.length - 1]!];
    const merged: OpenBlock = {
      first: oldest.first,
      count: countOf(blocks),
      before: oldest.before,
      last: newest.last,
      body: Buffer.concat(blocks.map(({ body }) => body)),
    };
    return {
      removed: blocks.map(({ first }) => first),
      put: [{ key: merged.first, block: joined([merged], false) }],
      blocks: [merged],
      plainBytes: 0,
    };
  }

  /** The change is on the disk. */
  commit({ blocks, plainBytes }: RunChange): void {
    this.blocks = blocks;
    this.bytes = blocks.reduce((sum, { body }) => sum + body.length, 0);
    this.plain = plainBytes;
  }
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
  const [first, last] = [records[0]!, records[records.length - 1]!];
  const before = continued ?? positionBefore(first);
  const { offset, appendedAt, receivedAt, seq } = last;
  return {
    first: first.offset,
    count: records.length,
    before,
    last: { offset, appendedAt, receivedAt, seq },
    body: encodeBody(records, before),
  };
}

function plainBlock({ count, before, last, body }: OpenBlock): Buffer {
  return packBlock({ isCompressed: false, isFull: false, count, bodyBytes: body.length, before, last }, body);
}

function joined(blocks: readonly OpenBlock[], isFull: boolean): Buffer {
  const [oldest, newest] = [blocks[0]!, blocks[blocks.length - 1]!];
  const body = blocks.length === 1 ? oldest.body : Buffer.concat(blocks.map((block) => block.body));
  return compressBlock({ isFull, count: countOf(blocks), before: oldest.before, last: newest.last }, body);
}

function countOf(blocks: readonly OpenBlock[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}
