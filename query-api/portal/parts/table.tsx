/** A list as a table; in a narrow window each row becomes a card, with the column's name before each value. */
import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext, useRef } from 'preact/hooks';
import { IsOld } from './is-old.ts';
import { useFocusOfRows } from './row-focus.ts';

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

/**
 * From this number of rows on, rows stand in groups, and the browser lays out only the groups near the window
 * (`tables.css`). All rows stay in the document: focus, search of the browser and screen readers find each of them.
 */
const LONG_FROM = 500;
const GROUP_ROWS = 50;

/** The roles of a long table, which has the layout of a grid: that takes the roles of a table away in some browsers. */
const LONG_ROLES = { table: 'table', group: 'rowgroup', row: 'row', heading: 'columnheader', cell: 'cell' } as const;
const NO_ROLES = { table: undefined, group: undefined, row: undefined, heading: undefined, cell: undefined };
const Roles = createContext<typeof LONG_ROLES | typeof NO_ROLES>(NO_ROLES);

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, isDense = false, sort } = props;
  const rows = useRowElements(props);
  const isLong = !isDense && rows.length >= LONG_FROM;
  const roles = isLong ? LONG_ROLES : NO_ROLES;
  const table = useFocusOfRows();
  return (
    <Roles.Provider value={roles}>
      <table
        ref={table}
        class={isDense ? 'dense' : isLong ? 'list long' : 'list'}
        role={roles.table}
        aria-label={label}
      >
        <Head columns={columns} sort={sort} />
        {groupsOf(rows, isLong ? GROUP_ROWS : rows.length).map((group, index) => (
          <tbody key={index} role={roles.group}>
            {group}
          </tbody>
        ))}
      </table>
    </Roles.Provider>
  );
}

/** Groups of `size` rows, in their order; one group that is empty without rows. */
function groupsOf(rows: VNode[], size: number): VNode[][] {
  const groups: VNode[][] = [rows.slice(0, size)];
  for (let from = size; from < rows.length; from += size) groups.push(rows.slice(from, from + size));
  return groups;
}

interface HeadProps<Row> extends Pick<TableProps<Row>, 'columns'> {
  readonly sort: TableProps<Row>['sort'] | undefined;
}

function Head<Row>({ columns, sort }: HeadProps<Row>) {
  const roles = useContext(Roles);
  return (
    <thead role={roles.group}>
      <tr role={roles.row}>
        {columns.map((column) => (
          <Heading key={column.field} column={column} sort={sort} />
        ))}
      </tr>
    </thead>
  );
}

interface RowProps<Row> {
  readonly id: string;
  readonly row: Row;
  readonly seq: number | null;
  readonly columns: readonly Column<Row>[];
}

interface ShownRow<Row> extends RowProps<Row> {
  readonly element: VNode;
}

/** The elements of all rows. That of a row that did not change stays the same, so that it is not rendered again. */
function useRowElements<Row>({ rows, idOf, seqOf, columns }: TableProps<Row>): VNode[] {
  const before = useRef<ReadonlyMap<string, ShownRow<Row>>>(new Map());
  const shown = rows.map((row): ShownRow<Row> => {
    const [id, seq] = [idOf(row), seqOf?.(row) ?? null];
    const known = before.current.get(id);
    if (known && known.row === row && known.seq === seq && known.columns === columns) return known;
    return { id, row, seq, columns, element: <TableRow key={id} id={id} row={row} seq={seq} columns={columns} /> };
  });
  before.current = new Map(shown.map((one) => [one.id, one]));
  return shown.map(({ element }) => element);
}

function TableRow<Row>({ id, row, seq, columns }: RowProps<Row>) {
  const isOld = useContext(IsOld);
  const roles = useContext(Roles);
  return (
    <tr role={roles.row} data-id={id} data-seq={seq ?? undefined} tabIndex={-1}>
      {columns.map((column) => (
        <td
          key={column.field}
          role={roles.cell}
          class={column.isNumber ? 'number' : column.isWide ? 'wide' : undefined}
          data-label={column.label}
          data-field={column.field}
          data-stale={(isOld && !column.isWide) || column.isStale?.(row) ? '' : undefined}
        >
          {column.render(row)}
        </td>
      ))}
    </tr>
  );
}

function Heading<Row>({ column, sort }: { readonly column: Column<Row>; readonly sort: TableProps<Row>['sort'] }) {
  const roles = useContext(Roles);
  const isSorted = sort !== undefined && sort.by === column.sort;
  const direction = isSorted ? (sort.isAscending ? 'ascending' : 'descending') : undefined;
  return (
    <th
      scope="col"
      role={roles.heading}
      class={column.isNumber ? 'number' : column.isWide ? 'wide' : undefined}
      aria-sort={direction}
    >
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
