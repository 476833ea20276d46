import { createTables } from './001-create-tables.ts';
import type { Migration } from './migration.ts';

/** Every migration, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [createTables];
