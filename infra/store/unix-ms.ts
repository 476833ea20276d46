/**
 * SQL that selects a DateTime64(3) column as unix ms in a JSON number. A 64-bit integer would be returned as text; a
 * float holds every ms of the column's range exactly.
 */
export function unixMs(column: string): string {
  return `toFloat64(toUnixTimestamp64Milli(${column}))`;
}
