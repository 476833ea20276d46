/**
 * When each key was last used, to the minute. Every node publishes the first use of a key in each minute; the latest use
 * on any node counts. A record that is published twice changes nothing.
 */
const MINUTE_MS = 60_000;

export interface KeyUse {
  readonly keyId: string;
  /** Start of the UTC minute, unix ms. */
  readonly usedAt: number;
}

export class KeyUses {
  private readonly newest = new Map<string, number>();
  private readonly unpublished = new Set<string>();

  /** Notes that this node accepted a key. Called for each request. */
  mark(keyId: string, now: number): void {
    const minute = now - (now % MINUTE_MS);
    if (this.setNewest(keyId, minute)) this.unpublished.add(keyId);
  }

  /** Applies what a node published. */
  apply({ keyId, usedAt }: KeyUse): void {
    this.setNewest(keyId, usedAt);
  }

  /** Start of the minute in which a key was last used, unix ms; null if it never was. */
  lastUsedAt(keyId: string): number | null {
    return this.newest.get(keyId) ?? null;
  }

  /** Returns the uses on this node since the last call, to be published. */
  drainUnpublished(): KeyUse[] {
    const uses = Array.from(this.unpublished, (keyId) => ({ keyId, usedAt: this.newest.get(keyId)! }));
    this.unpublished.clear();
    return uses;
  }

  /** Marks uses that could not be published, so that the next call returns them again. */
  markUnpublished(uses: readonly KeyUse[]): void {
    for (const { keyId } of uses) this.unpublished.add(keyId);
  }

  private setNewest(keyId: string, usedAt: number): boolean {
    const before = this.newest.get(keyId);
    if (before !== undefined && before >= usedAt) return false;
    this.newest.set(keyId, usedAt);
    return true;
  }
}
