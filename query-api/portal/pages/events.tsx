import { wordsOf } from '../format/names.ts';
import { spanText } from '../format/time.ts';
import { type Paginated, usePaged } from '../live/paged.ts';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { More } from '../parts/more.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { Unknown } from '../parts/unknown.tsx';
import { hrefTo, setQuery } from '../shell/router.ts';
import { type Edge, eventPath, OLD_QUOTE_MS, type UniversalEvent } from './event/shapes.ts';

interface EventList extends Paginated {
  readonly events: readonly UniversalEvent[];
  readonly meta: { readonly total: number };
}
interface Row extends UniversalEvent {
  /** The best edge of the event; null if there is none above the fees and below them. */
  readonly edge: Edge | null;
}

const LIST_MS = 10_000;
const EDGES_MS = 2_000;
const STATUSES = [
  ['open', 'Open'],
  ['closed', 'Closed'],
  ['resolved', 'Resolved'],
] as const;
const VENUES = [
  ['2', 'Two or more'],
  ['1', 'One or more'],
] as const;
const SORTS = [
  ['edge', 'Best edge'],
  ['name', 'Name'],
  ['date', 'Resolution'],
] as const;
const NO_EDGE = 'no two books of this event can be compared now';

const COLUMNS: readonly Column<Row>[] = [
  {
    field: 'canonicalName',
    label: 'Event',
    isWide: true,
    render: (row) => <a href={hrefTo(eventPath(row.universalId))}>{row.canonicalName}</a>,
  },
  { field: 'kind', label: 'Kind', render: ({ kind }) => (kind ? wordsOf(kind) : <Unknown reason="not recognised" />) },
  {
    field: 'links',
    label: 'Venues',
    render: ({ links }) => (
      <span class="tags">
        {[...new Set(links.filter(({ used }) => used).map(({ provider }) => provider))].map((provider) => (
          <span key={provider} class="tag">
            {provider}
          </span>
        ))}
      </span>
    ),
  },
  {
    field: 'netEdge',
    label: 'Net edge',
    isNumber: true,
    isStale: ({ edge }) => edge !== null && edge.quoteAgeMs > OLD_QUOTE_MS,
    render: ({ edge }) => <Num value={edge?.netEdge ?? null} digits={4} signed reason={NO_EDGE} />,
  },
  {
    field: 'size',
    label: 'Size',
    isNumber: true,
    render: ({ edge }) => <Num value={edge?.size ?? null} digits={2} reason={NO_EDGE} />,
  },
  {
    field: 'quoteAgeMs',
    label: 'Quote age',
    isNumber: true,
    render: ({ edge }) => (edge ? spanText(edge.quoteAgeMs) : <Unknown reason={NO_EDGE} />),
  },
  {
    field: 'resolutionDate',
    label: 'Resolution',
    render: ({ resolutionDate }) => <Moment at={resolutionDate} reason="its markets state no date" />,
  },
];

const byText = (a: string | null, b: string | null) => (a ?? '~').localeCompare(b ?? '~');
const COMPARE: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  edge: (a, b) => (b.edge?.netEdge ?? Number.NEGATIVE_INFINITY) - (a.edge?.netEdge ?? Number.NEGATIVE_INFINITY) || 0,
  name: (a, b) => byText(a.canonicalName, b.canonicalName),
  date: (a, b) => byText(a.resolutionDate, b.resolutionDate),
};

export default function EventsPage() {
  const status = chosen('status', STATUSES);
  const list = usePaged<EventList>(
    `/v1/events?status=${status}&min_providers=${chosen('venues', VENUES)}&limit=200`,
    LIST_MS,
  );
  const edges = useResource<{ readonly records: readonly Edge[] }>('/v1/arbitrage?limit=1000', EDGES_MS);
  const best = new Map<string, Edge>();
  // They are sorted by net edge, so that the first of an event is its best.
  for (const edge of edges.data.value?.records ?? []) if (!best.has(edge.universalId)) best.set(edge.universalId, edge);
  const sort = chosen('sort', SORTS);
  const rows = [list.first.data.value, ...list.older.value]
    .flatMap((page) => page?.events ?? [])
    .map((event) => ({ ...event, edge: best.get(event.universalId) ?? null }))
    .sort(COMPARE[sort]);
  const filters = (
    <div class="filters">
      <Choice name="status" label="Status" options={STATUSES} />
      <Choice name="venues" label="Venues" options={VENUES} />
      <Choice name="sort" label="Sort" options={SORTS} />
    </div>
  );
  return (
    <Page
      name="events"
      title="Events"
      {...framed(list.first, ({ events }) => events.length === 0)}
      actions={filters}
      empty={
        <>
          <p>Questions that venues ask are listed here. None matches this filter.</p>
          <button type="button" data-action="reset" onClick={() => setQuery({ status: null, venues: '1', sort: null })}>
            Show all open events
          </button>
        </>
      }
    >
      <p class="muted">
        {rows.length.toLocaleString('en-US')} of {(list.first.data.value?.meta.total ?? 0).toLocaleString('en-US')}{' '}
        events
      </p>
      <Table label="Events" rows={rows} idOf={({ universalId }) => universalId} columns={COLUMNS} />
      <More paged={list} />
    </Page>
  );
}
