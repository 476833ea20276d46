/** The newest published blocks by number and hash, used to find where a reorganized chain diverges. */

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

  /** Adds a published header, which replaces the blocks at and above its number. */
  add(block: KnownBlock): void {
    while ((this.last?.number ?? -1) >= block.number) this.blocks.pop();
    this.blocks.push(block);
    if (this.blocks.length > this.blocksMax * 2) this.blocks = this.blocks.slice(-this.blocksMax);
  }

  /** Hash of the block with that number; null if it is unknown. */
  hashAt(number: number): string | null {
    return this.blocks.findLast((block) => block.number === number)?.hash ?? null;
  }

  /** Removes the newest block, which is no longer on the chain. */
  dropLast(): KnownBlock | null {
    return this.blocks.pop() ?? null;
  }
}
