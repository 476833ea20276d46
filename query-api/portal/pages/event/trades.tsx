import { useResource } from '../../live/resource.ts';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import { apiPath } from './shapes.ts';

interface Trade {
  readonly id: string;
  readonly provider: string;
  readonly outcome: string | null;
  readonly ts: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly qty: number;
  readonly status: string;
}

const REFRESH_MS = 3_000;
const COLUMNS: readonly Column<Trade>[] = [
  { field: 'ts', label: 'When', render: ({ ts }) => <Moment at={ts} /> },
  { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
  {
    field: 'outcome',
    label: 'Outcome',
    isWide: true,
    render: ({ outcome }) => outcome ?? <Unknown reason="the catalog does not name it" />,
  },
  { field: 'side', label: 'Side', render: ({ side }) => <span class={side === 'buy' ? 'up' : 'down'}>{side}</span> },
  { field: 'price', label: 'Price', isNumber: true, render: ({ price }) => <Num value={price} digits={4} /> },
  { field: 'qty', label: 'Quantity', isNumber: true, render: ({ qty }) => <Num value={qty} digits={2} /> },
  { field: 'status', label: 'Status', render: ({ status }) => <span class="tag">{status}</span> },
];

export function Trades({ id }: { readonly id: string }) {
  const trades = useResource<{ readonly trades: readonly Trade[] }>(apiPath(id, 'trades?limit=20'), REFRESH_MS);
  return (
    <Panel
      title="Newest trades"
      resource={trades}
      isEmpty={(data) => data.trades.length === 0}
      empty="No trade of this event was recorded yet."
    >
      {(data) => <Table label="Newest trades" rows={data.trades} idOf={({ id }) => id} columns={COLUMNS} />}
    </Panel>
  );
}
