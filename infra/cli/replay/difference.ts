/** What a verification finds: differences, and what the live side had not come to when it stopped. */

export interface Difference {
  /** The table; null for a difference of a topic. */
  readonly table: string | null;
  /** The topic; null for a difference of a table. */
  readonly topic: string | null;
  /**
   * Of a row, the values of the table's sorting key; of a record, `<partition>/<key>` where the topic is compacted and
   * `<partition>/<seq>` elsewhere.
   */
  readonly key: string;
  /** The row or record that the rebuild gave; null when it gave none. */
  readonly expected: string | null;
  /** The live row or record; null when there is none. */
  readonly actual: string | null;
}

export interface Verification {
  readonly differences: readonly Difference[];
  /**
   * How many rows of each table, and records of each topic, the live side had not written yet when it stopped: its next
   * start writes them. Names without any are left out.
   */
  readonly pending: Readonly<Record<string, number>>;
}

/** Differences of one table or topic partition beyond this number are not listed. */
const LISTED_MAX = 100;

/** The differences of one table or one topic partition: the first hundred, and a warning where there are more. */
export class DifferenceList {
  readonly listed: Difference[] = [];
  private readonly name: string;
  private found = 0;

  /** @param name table or partition, as it is shown to the operator. */
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
      console.error(`${this.name} has more differences than the ${LISTED_MAX} that are listed`);
  }
}
