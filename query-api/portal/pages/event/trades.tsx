import { useLive } from '../../live/live-resource.ts';
import { useNewest } from '../../live/newest.ts';
import { useResource } from '../../live/resource.ts';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import { EVERY_MS } from './intervals.ts';
import { recordKey, TRADES_SHOWN, tradeChannel, withTrades } from './live.ts';
import { apiPath, type Trade, type Trades as TradeList } from './shapes.ts';

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
  const newest = useNewest([tradeChannel(id)], recordKey);
  const read = useResource<TradeList>(apiPath(id, `trades?limit=${TRADES_SHOWN}`), EVERY_MS.trades);
  const trades = useLive(read, newest, withTrades);
  return (
    <Panel
      title="Newest trades"
      resource={trades}
      isEmpty={(data) => data.trades.length === 0}
      empty="No trade of this event was recorded yet."
    >
      {(data) => (
        <Table
          label="Newest trades"
          rows={data.trades}
          idOf={({ id }) => id}
          seqOf={({ id }) => newest.events.value.get(id)?.seq ?? null}
          columns={COLUMNS}
        />
      )}
    </Panel>
  );
}
