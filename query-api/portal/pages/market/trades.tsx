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

/** Ids that stay as they are when newer trades come: equal trades are counted from the oldest one. */
function idsOf(trades: readonly Trade[]): (trade: Trade) => string {
  const ids = new Map<Trade, string>();
  const counts = new Map<string, number>();
  for (const trade of trades.toReversed()) {
    const same = `${trade.ts}.${trade.txHash}`;
    const count = counts.get(same) ?? 0;
    counts.set(same, count + 1);
    ids.set(trade, `${same}.${count}`);
  }
  return (trade) => ids.get(trade)!;
}

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
          idOf={idsOf(trades)}
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
