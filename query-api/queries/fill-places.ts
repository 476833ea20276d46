/** The order in which fills are listed: newest first by the venue's time, then by log index, account and id. */
import type { Parameter } from '#infra/store/store';
import type { LedgerPart } from './ledger-rows.ts';
import { type CursorKey, formatCursor, invalidCursor } from './time-cursor.ts';

/** Which rows of a table of fills are read. */
export interface FillRange {
  readonly ledgers: readonly LedgerPart[];
  /** Unix ms of the venue, inclusive; null means no bound. */
  readonly since: number | null;
  /** Unix ms of the venue, exclusive; null means no bound. */
  readonly until: number | null;
  /** The last fill of the page before; null for the first page. */
  readonly after: FillPlace | null;
  readonly limit: number;
}

export interface FillPlace {
  readonly afterTs: number;
  readonly afterIndex: number;
  readonly afterAccount: string;
  readonly afterId: string;
}

/** What orders fills; `index` is 0 off chain. */
export interface Placed {
  readonly ts: number;
  readonly index: number;
  readonly account: string;
  readonly id: string;
}

/** SQL conditions of a range, and their parameters. @param ts, index SQL of the columns that order the rows. */
export function conditionsOf(
  { since, until, after }: FillRange,
  ts: string,
  index: string,
): { readonly conditions: readonly string[]; readonly parameters: Readonly<Record<string, Parameter>> } {
  return {
    conditions: [
      ...(since === null ? [] : [`${ts} >= fromUnixTimestamp64Milli({since:Int64})`]),
      ...(until === null ? [] : [`${ts} < fromUnixTimestamp64Milli({until:Int64})`]),
      ...(after === null
        ? []
        : [
            `(${ts}, toUInt64(${index}), l.account, l.id) <
           (fromUnixTimestamp64Milli({afterTs:Int64}), {afterIndex:UInt64}, {afterAccount:String}, {afterId:String})`,
          ]),
    ],
    parameters: { ...(since === null ? {} : { since }), ...(until === null ? {} : { until }), ...after },
  };
}

/** The order of the statements, by bytes of the texts. */
export function newestFirst(a: Placed, b: Placed): number {
  return b.ts - a.ts || b.index - a.index || compareText(b.account, a.account) || compareText(b.id, a.id);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** @param scope identifies the other parameters: a cursor is valid with those that it was returned for. */
export function cursorOf({ ts, index, account, id }: Placed, scope: string): string {
  return formatCursor({ at: ts, id: `${scope}/${index}/${account}/${id}` });
}

/** Throws 400 for a cursor of other parameters. */
export function placeOf({ at, id }: CursorKey, scope: string): FillPlace {
  const parts = /^(\w+)\/(\d{1,15})\/([^/]+)\/(.+)$/.exec(id);
  if (!parts || parts[1] !== scope) throw invalidCursor();
  return { afterTs: at, afterIndex: Number(parts[2]), afterAccount: parts[3]!, afterId: parts[4]! };
}
