/** The export from which a leaderboard is made (venue page, section 9): `{"leaderboardRows":[{…},…]}`. */
import { FieldError, isJsonObject } from '../../domain/json-fields.ts';

/** The request that answers with the export. */
export const LEADERBOARD_REQUEST = 'GET /Mainnet/leaderboard';

const ROWS = 'leaderboardRows';

/**
 * Parses the rows in a part of the export whose text ends after a row, or at the end of the export. Throws `SyntaxError`
 * for text that is not JSON, and `FieldError` for JSON of another shape.
 */
export function parseLeaderboardRows(
  text: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): readonly unknown[] {
  // A part in the middle begins with the comma after the previous row.
  const begun = isFirst ? text : `{"${ROWS}":[${text.replace(/^\s*,/, '')}`;
  const body: unknown = JSON.parse(isLast ? begun : `${begun}]}`);
  const rows = isJsonObject(body) ? body[ROWS] : undefined;
  if (!Array.isArray(rows)) throw new FieldError(ROWS, 'an array', rows);
  return rows;
}
