/**
 * One numbered change of the tables. Numbers are unique and increase; the statements never change after a release and can
 * run twice (`IF NOT EXISTS`, a setting, or a TTL), since two nodes may run them at once.
 */
export interface Migration {
  readonly number: number;
  /** Verb, table and version, as in the file name. */
  readonly name: string;
  readonly sql: readonly string[];
}

const REPEATABLE = /\b(IF NOT EXISTS|IF EXISTS|MODIFY SETTING|MODIFY TTL|MODIFY COLUMN)\b/;
const CHANGES = /^\s*(CREATE|DROP|ALTER)\b/;

/** The errors in a list of migrations, one sentence each; empty if the list can be applied. */
export function migrationErrors(migrations: readonly Migration[]): string[] {
  return migrations.flatMap(({ number, name, sql }, at) => {
    const errors: string[] = [];
    if (number !== at + 1) errors.push(`${name} has the number ${number} instead of ${at + 1}`);
    for (const statement of sql) {
      if (CHANGES.test(statement) && !REPEATABLE.test(statement))
        errors.push(`${name} has a statement that cannot run twice`);
    }
    return errors;
  });
}
