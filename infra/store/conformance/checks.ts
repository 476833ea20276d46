/**
 * The conformance suite: the guarantees of a store, for both adapters and for the servers of operators. The tests of the
 * adapters and `npm run store:check` run it.
 */
import type { StoreCheck } from './check.ts';
import { DATABASE_CHECKS } from './databases.ts';
import { INSERT_CHECKS } from './inserts.ts';
import { QUERY_CHECKS } from './queries.ts';
import { REPLACING_CHECKS } from './replacing.ts';
import { VALUE_CHECKS } from './values.ts';

export const STORE_CHECKS: readonly StoreCheck[] = [
  ...VALUE_CHECKS,
  ...INSERT_CHECKS,
  ...REPLACING_CHECKS,
  ...QUERY_CHECKS,
  ...DATABASE_CHECKS,
];
