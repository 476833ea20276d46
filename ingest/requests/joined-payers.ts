/** The organizations of all reads that share a request, also those that join one of these reads later. Each pays once. */
export class JoinedPayers implements Iterable<string> {
  private readonly reads = new Set<Iterable<string>>();

  /** Adds the organizations of a read. */
  add(orgIds: Iterable<string>): void {
    this.reads.add(orgIds);
  }

  [Symbol.iterator](): Iterator<string> {
    return new Set([...this.reads].flatMap((orgIds) => [...orgIds])).values();
  }
}
