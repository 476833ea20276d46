import type { ComponentChild } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { VENUE_CHOICES, wordsOf } from '../format/names.ts';
import { compactText, digitsOf } from '../format/number.ts';
import { spanText } from '../format/time.ts';
import { intervalBeside, useLive } from '../live/live-resource.ts';
import { useNewest } from '../live/newest.ts';
import { type Paginated, usePaged } from '../live/paged.ts';
import { useResource } from '../live/resource.ts';
import { useVisibleIds } from '../live/visible.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Copy } from '../parts/copy.tsx';
import { More } from '../parts/more.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { Title } from '../parts/title.tsx';
import { Unknown } from '../parts/unknown.tsx';
import { hrefTo, place, setQuery } from '../shell/router.ts';
import { type BoardLeg, type BoardRow, boardCsv, type DayPrices, dayChart, noEdgeReason } from './event/board.ts';
import {
  type Board as EventBoard,
  edgeChannel,
  eventKey,
  newestByChannel,
  newestSeq,
  spreadChannel,
  withBoardEvents,
} from './event/live.ts';
import { eventPath, OLD_QUOTE_MS } from './event/shapes.ts';

type Board = EventBoard & Paginated;

const REFRESH = intervalBeside(5_000, 10_000);
/** Time between two reads of the prices of a day. */
const DAY_REFRESH_MS = 60_000;
const PAGE_ROWS = 100;
const ROWS_MAX = 1_000;
/** A search begins when nothing was typed for this long. */
const TYPED_MS = 250;
const STATUSES = [
  ['open', 'Open'],
  ['closed', 'Closed'],
  ['resolved', 'Resolved'],
] as const;
const SORTS = ['edge', 'spread', 'volume', 'updated', 'name'];

/** A value of each leg, one below the other. */
function Lines({ legs, of }: { readonly legs: readonly BoardLeg[]; readonly of: (leg: BoardLeg) => ComponentChild }) {
  if (legs.length === 0) return <Unknown reason="no book of this event was received" />;
  return (
    <span class="lines">
      {legs.map((leg) => (
        <span key={`${leg.provider}.${leg.marketId}`} data-stale={leg.state === 'live' ? undefined : ''}>
          {of(leg)}
        </span>
      ))}
    </span>
  );
}

function priceReason({ state, since }: BoardLeg): string {
  if (state === null) return 'no book of this market was received';
  if (state === 'live') return 'this side of the book is empty';
  return `the market is ${wordsOf(state).toLowerCase()}${since === null ? '' : ` since ${since}`}`;
}

function priceColumn(field: 'yesBid' | 'yesAsk' | 'yesMid', label: string, digits: number): Column<BoardRow> {
  return {
    field,
    label,
    isNumber: true,
    render: ({ legs }) => (
      <Lines legs={legs} of={(leg) => <Num value={leg[field]} digits={digits} reason={priceReason(leg)} />} />
    ),
  };
}

function Marks({ row }: { readonly row: BoardRow }) {
  return (
    <span class="tags">
      {row.disputed && <span class="tag bad">disputed</span>}
      {row.anomalies24h > 0 && (
        <span class="tag" title="anomalies in 24 hours">
          {row.anomalies24h} anomalies
        </span>
      )}
    </span>
  );
}

function boardDigits(rows: readonly BoardRow[]): number {
  const prices = rows.flatMap(({ legs }) => legs.flatMap(({ yesBid, yesAsk }) => [yesBid, yesAsk]));
  return digitsOf(prices, 4);
}

function columnsFor(digits: number, pricesOf: ReadonlyMap<string, DayPrices | undefined>): Column<BoardRow>[] {
  return [
    {
      field: 'canonicalName',
      label: 'Event',
      isWide: true,
      sort: 'name',
      render: (row) => (
        <>
          <a href={hrefTo(eventPath(row.universalId))}>
            <Title text={row.canonicalName} />
          </a>{' '}
          <Marks row={row} />
          {row.kind !== null && (
            <small class="muted" data-field="kind">
              {wordsOf(row.kind)}
            </small>
          )}
        </>
      ),
    },
    {
      field: 'provider',
      label: 'Venue',
      render: ({ legs }) => <Lines legs={legs} of={({ provider }) => <code>{provider}</code>} />,
    },
    priceColumn('yesBid', 'Bid', digits),
    priceColumn('yesAsk', 'Ask', digits),
    priceColumn('yesMid', 'Mid', digits),
    {
      field: 'spread',
      label: 'Spread',
      isNumber: true,
      sort: 'spread',
      render: ({ spread }) => <Num value={spread} digits={4} reason="fewer than two legs are live" />,
    },
    {
      field: 'netEdge',
      label: 'Net edge',
      isNumber: true,
      sort: 'edge',
      isStale: ({ edge }) => edge !== null && edge.quoteAgeMs > OLD_QUOTE_MS,
      render: ({ edge, noEdge }) => (
        <Num value={edge?.netEdge ?? null} digits={4} signed reason={noEdgeReason(noEdge)} />
      ),
    },
    {
      field: 'size',
      label: 'Size',
      isNumber: true,
      render: ({ edge, noEdge }) => <Num value={edge?.size ?? null} digits={0} reason={noEdgeReason(noEdge)} />,
    },
    {
      field: 'quoteAgeMs',
      label: 'Quote age',
      isNumber: true,
      render: ({ edge, noEdge }) => (edge ? spanText(edge.quoteAgeMs) : <Unknown reason={noEdgeReason(noEdge)} />),
    },
    {
      field: 'volume24h',
      label: 'Volume 24 h',
      isNumber: true,
      sort: 'volume',
      render: ({ volume24h }) => <span title={String(volume24h)}>{compactText(volume24h)}</span>,
    },
    { field: 'trades24h', label: 'Trades', isNumber: true, render: ({ trades24h }) => <Num value={trades24h} /> },
    {
      field: 'sparkline',
      label: '24 hours',
      render: ({ universalId, canonicalName }) => {
        const prices = pricesOf.get(universalId);
        return (
          prices && (
            <Sparkline
              caption={`Prices of YES: ${canonicalName}`}
              data={dayChart(prices)}
              digits={digits}
              reason="no price was published in 24 hours"
            />
          )
        );
      },
    },
    {
      field: 'lastTradeAt',
      label: 'Last trade',
      render: ({ lastTradeAt }) => <Ago at={lastTradeAt} reason="none in 24 hours" />,
    },
  ];
}

function Filters({ rows }: { readonly rows: readonly BoardRow[] }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <div class="filters">
      <label>
        Search
        <input
          type="search"
          name="q"
          maxLength={100}
          autocomplete="off"
          defaultValue={place.value.query.get('q') ?? ''}
          onInput={(event) => {
            const q = event.currentTarget.value.trim();
            clearTimeout(timer.current);
            timer.current = setTimeout(() => setQuery({ q }), TYPED_MS);
          }}
        />
      </label>
      <Choice name="status" label="Status" options={STATUSES} />
      <Choice name="provider" label="Venue" options={VENUE_CHOICES} />
      <Copy text={() => boardCsv(rows)} label="Copy as CSV" />
    </div>
  );
}

export default function EventsPage() {
  const { query } = place.value;
  const sort = SORTS.find((name) => name === query.get('sort')) ?? 'edge';
  const isNatural = sort === 'name' ? 'asc' : 'desc';
  const order = query.get('order') === 'asc' || query.get('order') === 'desc' ? query.get('order')! : isNatural;
  const parameters = new URLSearchParams({ sort, order, status: chosen('status', STATUSES), limit: String(PAGE_ROWS) });
  const provider = chosen('provider', VENUE_CHOICES);
  if (provider !== 'all') parameters.set('provider', provider);
  const q = query.get('q');
  if (q) parameters.set('q', q);
  const board = usePaged<Board>(`/v1/events/board?${parameters}`, REFRESH);
  const visible = useVisibleIds(board.pages.flatMap((page) => page.rows.map(({ universalId }) => universalId)));
  const newest = useNewest(
    visible.value.flatMap((id) => [spreadChannel(id), edgeChannel(id)]),
    eventKey,
  );
  const first = useLive(board.first, newest, withBoardEvents);
  const events = newest.events.value;
  const rows = board.pages.flatMap((page) => withBoardEvents(page, events.values()).rows);
  const newestOf = newestByChannel(events.values());
  parameters.set('include', 'sparkline');
  parameters.set('limit', String(Math.min(ROWS_MAX, PAGE_ROWS * Math.max(1, board.pages.length))));
  const day = useResource<Board>(`/v1/events/board?${parameters}`, DAY_REFRESH_MS, true);
  const days = day.data.value;
  const pricesOf = useMemo(
    () => new Map(days?.rows.map(({ universalId, sparkline }) => [universalId, sparkline])),
    [days],
  );
  const digits = boardDigits(rows);
  // The same columns until they change, so that rows that did not change are not rendered again.
  const columns = useMemo(() => columnsFor(digits, pricesOf), [digits, pricesOf]);
  return (
    <Page
      name="events"
      title="Events"
      {...framed(first, (data) => data.rows.length === 0)}
      actions={<Filters rows={rows} />}
      empty={
        <>
          <p>Questions that venues ask are listed here, with the prices of each. None matches these filters.</p>
          <button type="button" data-action="reset" onClick={() => setQuery({ status: null, provider: null, q: null })}>
            Show all open events
          </button>
        </>
      }
    >
      <Table
        label="Events"
        rows={rows}
        idOf={({ universalId }) => universalId}
        seqOf={({ universalId }) => newestSeq(newestOf, spreadChannel(universalId), edgeChannel(universalId))}
        columns={columns}
        sort={{
          by: sort,
          isAscending: order === 'asc',
          onSort: (next) =>
            setQuery({
              sort: next === 'edge' ? null : next,
              order: next === sort ? (order === 'asc' ? 'desc' : 'asc') : null,
            }),
        }}
      />
      <More paged={board} />
    </Page>
  );
}
