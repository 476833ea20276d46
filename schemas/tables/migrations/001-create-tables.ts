import { createTable } from '../create-table.ts';
import { TABLES } from '../index.ts';
import type { Migration } from './migration.ts';

/**
 * Creates all tables as they are declared now. A store that was created before a declaration changed gets the change from
 * a later migration, which changes nothing where this one has created the table with it.
 */
export const createTables: Migration = {
  number: 1,
  name: '001-create-tables',
  sql: TABLES.map(createTable),
};
