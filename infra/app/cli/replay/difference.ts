/** Result of a verification: differences, and counts of what the live side did not write before it stopped. */

export interface Difference {
  /** The table; null for a difference of a topic. */
  readonly table: string | null;
  /** The topic; null for a difference of a table. */
  readonly topic: string | null;
  /**
   * For a row, the values of the table's sorting key. For a record, `<partition>/<key>` in a compacted topic and
   * `<partition>/<seq>` in any other.
   */
  readonly key: string;
  /** The row or record of the rebuild; null if it has none. */
  readonly expected: string | null;
  /** The live row or record; null if there is none. */
  readonly actual: string | null;
}

export interface Verification {
  readonly differences: readonly Difference[];
  /**
   * Number of rows per table and records per topic that the live side did not write before it stopped. The next start
   * writes them. Names with zero are omitted.
   */
  readonly pending: Readonly<Record<string, number>>;
}

/** Most differences that are listed per table or topic partition. */
const LISTED_MAX = 100;

/** Collects the first hundred differences of one table or topic partition, and warns if there are more. */
export class DifferenceList {
  readonly listed: Difference[] = [];
  private readonly name: string;
  private found = 0;

  /** @param name table or partition, for the warning. */
  constructor(name: string) {
    this.name = name;
  }

  get isFull(): boolean {
    return this.found > LISTED_MAX;
  }

  add(difference: Difference): void {
    this.found += 1;
    if (this.found <= LISTED_MAX) this.listed.push(difference);
    else if (this.found === LISTED_MAX + 1)
      console.error(`${this.name} has more than ${LISTED_MAX} differences; only the first ${LISTED_MAX} are listed`);
  }
}
