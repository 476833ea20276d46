import { createHash } from 'node:crypto';

/** A short name of what all pages of a cursor have in common: a cursor is valid only with the same parameters. */
export function cursorScope(parameters: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parameters)).digest('hex').slice(0, 16);
}
