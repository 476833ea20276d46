import { useSignal } from '@preact/signals';
import { compactText } from '../format/number.ts';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Id } from '../parts/copy.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { Unknown } from '../parts/unknown.tsx';
import { place, setQuery } from '../shell/router.ts';

interface Trader {
  readonly rank: number;
  readonly ethAddress: string;
  readonly displayName: string | null;
  readonly accountValue: number | null;
  readonly pnl: number | null;
  readonly roi: number | null;
  readonly vlm: number | null;
}
interface Board {
  readonly capturedAt: string | null;
  readonly total?: number;
  readonly rows?: readonly Trader[];
  readonly trader?: Trader | null;
}

const REFRESH_MS = 60_000;
const SIZE = 100;
const ROWS_MAX = 500;
const WINDOWS = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
  ['allTime', 'All time'],
] as const;
const SORTS = ['pnl', 'roi', 'vlm'];

/** An amount; profits and losses are `signed`, as `Num` shows them. */
function Usd({ value, signed = false }: { readonly value: number | null; readonly signed?: boolean }) {
  if (value === null) return <Unknown reason="the export does not state it" />;
  const tone = !signed || value === 0 ? undefined : value > 0 ? 'up' : 'down';
  return (
    <span class={tone} title={String(value)}>
      {tone === 'up' && '+'}
      {compactText(value)}
    </span>
  );
}

const COLUMNS: readonly Column<Trader>[] = [
  { field: 'rank', label: 'Rank', isNumber: true, render: ({ rank }) => rank },
  { field: 'ethAddress', label: 'Trader', render: ({ ethAddress }) => <Id value={ethAddress} /> },
  {
    field: 'displayName',
    label: 'Name',
    isWide: true,
    render: ({ displayName }) => displayName ?? <Unknown reason="the trader has chosen no name" />,
  },
  { field: 'accountValue', label: 'Account, USD', isNumber: true, render: (row) => <Usd value={row.accountValue} /> },
  { field: 'pnl', label: 'PnL, USD', isNumber: true, sort: 'pnl', render: ({ pnl }) => <Usd value={pnl} signed /> },
  {
    field: 'roi',
    label: 'ROI, %',
    isNumber: true,
    sort: 'roi',
    render: ({ roi }) => <Num value={roi} digits={2} percent signed reason="not stated" />,
  },
  { field: 'vlm', label: 'Volume, USD', isNumber: true, sort: 'vlm', render: ({ vlm }) => <Usd value={vlm} /> },
];

export default function LeaderboardPage() {
  const { query } = place.value;
  const sortBy = SORTS.find((sort) => sort === query.get('sort')) ?? 'pnl';
  const isAscending = query.get('order') === 'asc';
  const address = query.get('address') ?? '';
  const limit = useSignal(SIZE);
  const parameters = new URLSearchParams({
    window: chosen('window', WINDOWS),
    sortBy,
    order: isAscending ? 'asc' : 'desc',
  });
  if (address === '') parameters.set('limit', String(limit.value));
  else parameters.set('address', address);
  const board = useResource<Board>(`/v1/markets/venue_a/leaderboard?${parameters}`, REFRESH_MS, true);
  const data = board.data.value;
  const rowsOf = ({ rows, trader }: Board) => rows ?? (trader ? [trader] : []);
  const filters = (
    <div class="filters">
      <Choice name="window" label="Window" options={WINDOWS} />
      <form
        class="filters"
        data-form="address"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ address: String(new FormData(event.currentTarget).get('address')).trim() });
        }}
      >
        <label>
          Address
          <input type="search" name="address" placeholder="0x…" defaultValue={address} autocomplete="off" />
        </label>
        <button type="submit" data-action="find">
          Find
        </button>
      </form>
    </div>
  );
  return (
    <Page
      name="leaderboard"
      title="Leaderboard"
      {...framed(board, (data) => rowsOf(data).length === 0)}
      actions={filters}
      empty={
        <p>
          {address === ''
            ? 'The traders of the venue are listed here once its first export has arrived, usually within a minute.'
            : 'This trader is not on the board of this window. Empty the field to see all.'}
        </p>
      }
    >
      <p class="muted">
        Captured <Moment at={data?.capturedAt ?? null} reason="no board has arrived" />
        {data?.total !== undefined && ` · ${data.total.toLocaleString('en-US')} traders`}
      </p>
      <Table
        label="Traders"
        rows={data ? rowsOf(data) : []}
        idOf={({ ethAddress }) => ethAddress}
        columns={COLUMNS}
        sort={{
          by: sortBy,
          isAscending,
          onSort: (sort) => setQuery({ sort, order: sort === sortBy && !isAscending ? 'asc' : null }),
        }}
      />
      {(data?.rows?.length ?? 0) < (data?.total ?? 0) && limit.value < ROWS_MAX && (
        <button
          type="button"
          class="more"
          data-action="more"
          onClick={() => {
            limit.value += SIZE;
          }}
        >
          Show more
        </button>
      )}
    </Page>
  );
}
