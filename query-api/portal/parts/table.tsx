/** A list as a table; in a narrow window each row becomes a card, with the column's name before each value. */
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { IsOld } from './is-old.ts';

export interface Column<Row> {
  /** The field of the REST response. */
  readonly field: string;
  readonly label: string;
  readonly render: (row: Row) => ComponentChildren;
  /** True for numbers: aligned on the decimal point. */
  readonly isNumber?: boolean;
  /** True for text that may be long. */
  readonly isWide?: boolean;
  /** Sort that a press of the heading selects. */
  readonly sort?: string;
  /** True if a cell of the row is out of date. */
  readonly isStale?: (row: Row) => boolean;
}

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** Number of the newest event of its channel; null before the first one, and for rows without a channel. */
  readonly seqOf?: (row: Row) => number | null;
  readonly columns: readonly Column<Row>[];
  /** True for a few short columns, which fit a narrow window as a table. */
  readonly isDense?: boolean;
  readonly sort?: { readonly by: string; readonly isAscending: boolean; readonly onSort: (sort: string) => void };
}

export function Table<Row>({ label, rows, idOf, seqOf, columns, isDense = false, sort }: TableProps<Row>) {
  const isOld = useContext(IsOld);
  return (
    <table class={isDense ? 'dense' : 'list'} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={column.field} column={column} sort={sort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)} data-id={idOf(row)} data-seq={seqOf?.(row) ?? undefined} tabIndex={-1}>
            {columns.map((column) => (
              <td
                key={column.field}
                class={column.isNumber ? 'number' : column.isWide ? 'wide' : undefined}
                data-label={column.label}
                data-field={column.field}
                data-stale={(isOld && column.isNumber) || column.isStale?.(row) ? '' : undefined}
              >
                {column.render(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Heading<Row>({ column, sort }: { readonly column: Column<Row>; readonly sort: TableProps<Row>['sort'] }) {
  const isSorted = sort !== undefined && sort.by === column.sort;
  const direction = isSorted ? (sort.isAscending ? 'ascending' : 'descending') : undefined;
  return (
    <th scope="col" class={column.isNumber ? 'number' : undefined} aria-sort={direction}>
      {sort === undefined || column.sort === undefined ? (
        column.label
      ) : (
        <button type="button" class="sort" data-action="sort" onClick={() => sort.onSort(column.sort!)}>
          {column.label}
        </button>
      )}
    </th>
  );
}
