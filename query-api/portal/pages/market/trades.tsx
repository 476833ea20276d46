import type { Level } from '../../format/depth.ts';
import { useResource } from '../../live/resource.ts';
import { levelColumns } from '../../parts/level-columns.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { Clock } from '../../parts/time.tsx';

interface Trade extends Level {
  readonly side: 'buy' | 'sell';
  readonly ts: number;
  readonly txHash: string | null;
}

const REFRESH_MS = 5_000;

/** @param path of the market's REST routes. */
export function Trades({ path }: { readonly path: string }) {
  const read = useResource<{ readonly trades: readonly Trade[] }>(`${path}/trades?limit=20`, REFRESH_MS);
  return (
    <Panel
      title="Newest trades"
      resource={read}
      isEmpty={({ trades }) => trades.length === 0}
      empty="No trade of this market was recorded yet."
    >
      {({ trades }) => (
        <Table
          label="Newest trades"
          rows={trades}
          idOf={(trade) => `${trade.ts}.${trade.txHash}.${trades.indexOf(trade)}`}
          isDense
          columns={[
            { field: 'ts', label: 'When', render: ({ ts }) => <Clock at={ts} /> },
            {
              field: 'side',
              label: 'Side',
              render: ({ side }) => <span class={side === 'buy' ? 'up' : 'down'}>{side}</span>,
            },
            ...levelColumns(trades),
          ]}
        />
      )}
    </Panel>
  );
}
