import { useSignal } from '@preact/signals';
import { Bytes } from '../../parts/bytes.tsx';
import { Num } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import type { SystemState, TableRow, TopicRow } from './shapes.ts';

/** Rows that are shown at first: the largest. */
const SHOWN = 10;

const TOPICS: readonly Column<TopicRow>[] = [
  { field: 'topic', label: 'Topic', isWide: true, render: ({ topic }) => <code>{topic}</code> },
  { field: 'records', label: 'Records', isNumber: true, render: ({ records }) => <Num value={records} /> },
  {
    field: 'bytes',
    label: 'Size',
    isNumber: true,
    render: ({ bytes }) => <Bytes value={bytes} reason="the brokers do not return it" />,
  },
  {
    field: 'oldestAt',
    label: 'Oldest record',
    isNumber: true,
    render: ({ oldestAt }) => <Moment at={oldestAt} reason="there is no record" />,
  },
];

const TABLES: readonly Column<TableRow>[] = [
  { field: 'table', label: 'Table', isWide: true, render: ({ table }) => <code>{table}</code> },
  { field: 'rows', label: 'Rows', isNumber: true, render: ({ rows }) => <Num value={rows} /> },
  { field: 'bytes', label: 'Size', isNumber: true, render: ({ bytes }) => <Bytes value={bytes} /> },
];

interface SizesProps<Row> {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** The largest rows, and all of them on request. */
function Sizes<Row>({ id, title, rows, idOf, columns }: SizesProps<Row>) {
  const isWhole = useSignal(false);
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Table label={title} rows={isWhole.value ? rows : rows.slice(0, SHOWN)} idOf={idOf} columns={columns} />
      {rows.length > SHOWN && (
        <button
          type="button"
          data-action="all"
          aria-expanded={isWhole.value}
          onClick={() => {
            isWhole.value = !isWhole.value;
          }}
        >
          {isWhole.value ? 'Show the largest' : `Show all ${rows.length}`}
        </button>
      )}
    </section>
  );
}

interface Props {
  readonly system: SystemState;
}

export function LogTopics({ system: { log } }: Props) {
  return <Sizes id="topics" title="Log" rows={log.topics} idOf={({ topic }) => topic} columns={TOPICS} />;
}

export function Tables({ system: { store } }: Props) {
  return <Sizes id="tables" title="Store" rows={store.tables} idOf={({ table }) => table} columns={TABLES} />;
}
