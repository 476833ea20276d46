/**
 * One numbered change of the tables. A number is given once and only upwards; its statements never change after a
 * release and can be run twice (`IF NOT EXISTS`, a setting, or a rule for how long rows are kept), since two nodes may run them at once.
 */
export interface Migration {
  readonly number: number;
  /** Verb, table and version, as in the file name. */
  readonly name: string;
  readonly sql: readonly string[];
}

const REPEATABLE = /\b(IF NOT EXISTS|IF EXISTS|MODIFY SETTING|MODIFY TTL)\b/;
const CHANGES = /^\s*(CREATE|DROP|ALTER)\b/;

/** What is wrong with a list of migrations, one sentence each; empty when it can be applied. */
export function migrationFaults(migrations: readonly Migration[]): string[] {
  return migrations.flatMap(({ number, name, sql }, at) => {
    const faults: string[] = [];
    if (number !== at + 1) faults.push(`${name} has number ${number} where ${at + 1} is next`);
    for (const statement of sql) {
      if (CHANGES.test(statement) && !REPEATABLE.test(statement))
        faults.push(`${name} has a statement that cannot run twice`);
    }
    return faults;
  });
}
