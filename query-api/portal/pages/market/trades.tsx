import { intervalOnceSent, useLive } from '../../live/live-resource.ts';
import { useNewest } from '../../live/newest.ts';
import { useResource } from '../../live/resource.ts';
import { levelColumns } from '../../parts/level-columns.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { Clock } from '../../parts/time.tsx';
import { session } from '../../shell/session.ts';
import { Arrival } from './arrival.tsx';
import { EVERY_MS } from './intervals.ts';
import { TRADES_SHOWN, type Trade, type Trades as TradeList, tradeChannels, tradeKeyOf, withTrades } from './live.ts';

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

interface TradesProps {
  /** The path of the market's REST routes. */
  readonly path: string;
  /** The venue's coin; null while it is not known. */
  readonly coin: string | null;
}

export function Trades({ path, coin }: TradesProps) {
  const newest = useNewest(tradeChannels(coin, session.value?.plan ?? ''), tradeKeyOf(coin ?? ''));
  const { alone, besideChannel } = EVERY_MS.trades;
  const every = intervalOnceSent(newest, alone, besideChannel);
  const read = useResource<TradeList>(`${path}/trades?limit=${TRADES_SHOWN}`, every);
  const trades = useLive(read, newest, withTrades);
  return (
    <Panel
      title="Newest trades"
      resource={trades}
      isEmpty={({ trades }) => trades.length === 0}
      empty="No trade of this market was recorded yet."
      actions={<Arrival newest={newest} what="Each trade" everyMs={alone} />}
    >
      {({ trades }) => (
        <Table
          label="Newest trades"
          rows={trades}
          idOf={idsOf(trades)}
          seqOf={({ seq }) => seq ?? null}
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
