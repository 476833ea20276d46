/** The chain as it was published: newest blocks by number and hash, to see where a reorganised one departs from it. */

export interface KnownBlock {
  readonly number: number;
  readonly hash: string;
}

export class PublishedChain {
  private readonly blocksMax: number;
  /** Ascending; numbers may have gaps. */
  private blocks: KnownBlock[] = [];

  constructor(blocksMax: number) {
    this.blocksMax = blocksMax;
  }

  get last(): KnownBlock | null {
    return this.blocks.at(-1) ?? null;
  }

  /** A header that was published: it takes the place of the blocks at and above its number. */
  add(block: KnownBlock): void {
    while ((this.last?.number ?? -1) >= block.number) this.blocks.pop();
    this.blocks.push(block);
    if (this.blocks.length > this.blocksMax * 2) this.blocks = this.blocks.slice(-this.blocksMax);
  }

  /** Hash of the block of that number; null when it is not known. */
  hashAt(number: number): string | null {
    return this.blocks.findLast((block) => block.number === number)?.hash ?? null;
  }

  /** Takes the newest block away, as one that is no longer on the chain. */
  dropLast(): KnownBlock | null {
    return this.blocks.pop() ?? null;
  }
}
