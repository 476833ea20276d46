/** Bars, book and trades of a market; each panel reads its own route below the path of the market. */
import { depthOf, type Level, spreadOf } from '../../format/depth.ts';
import { digitsOf } from '../../format/number.ts';
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { type Bar, candlesOf, INTERVALS, volumeOf } from './candles.ts';

interface Trade extends Level {
  readonly side: 'buy' | 'sell';
  readonly ts: number;
  readonly txHash: string | null;
}
interface MarketPath {
  /** The path of the market's REST routes. */
  readonly path: string;
}

const CHOICES = INTERVALS.map(([value, text]) => [value, text] as const);

export function Candles({ path }: MarketPath) {
  const interval = chosen('interval', CHOICES);
  const stepMs = INTERVALS.find(([value]) => value === interval)![2];
  const read = useResource<{ readonly candles: readonly Bar[] }>(
    `${path}/candles?interval=${interval}&limit=200`,
    30_000,
  );
  return (
    <>
      <div class="filters">
        <Choice name="interval" label="Interval" options={CHOICES} />
      </div>
      <Panel
        title="History"
        resource={read}
        isEmpty={({ candles }) => candles.length === 0}
        empty="No bar of this interval is known yet. One appears with the first trade."
      >
        {({ candles }) => (
          <>
            <Chart
              name="candles"
              caption="Price of each bar"
              kind="line"
              digits={digitsOf(candles.map(({ close }) => close))}
              data={candlesOf(candles, stepMs)}
            />
            <Chart name="volume" caption="Volume of each bar" kind="bars" digits={2} data={volumeOf(candles, stepMs)} />
          </>
        )}
      </Panel>
    </>
  );
}

const levelColumns = (levels: readonly Level[]): readonly Column<Level>[] => {
  const [priceDigits, sizeDigits] = [digitsOf(levels.map((level) => level.price)), digitsOf(levels.map((l) => l.size))];
  return [
    {
      field: 'price',
      label: 'Price',
      isNumber: true,
      render: ({ price }) => <Num value={price} digits={priceDigits} />,
    },
    { field: 'size', label: 'Size', isNumber: true, render: ({ size }) => <Num value={size} digits={sizeDigits} /> },
  ];
};

/** Levels of each side that the table lists; the chart shows all. */
const LISTED = 10;

export function Book({ path }: MarketPath) {
  const book = useResource<{ readonly bids: readonly Level[]; readonly asks: readonly Level[] }>(
    `${path}/orderbook?depth=100`,
    3_000,
  );
  return (
    <Panel
      title="Order book"
      resource={book}
      isEmpty={({ bids, asks }) => bids.length + asks.length === 0}
      empty="Neither side of the book has an order."
    >
      {({ bids, asks }) => (
        <>
          <Chart
            name="depth"
            caption="Size up to each price"
            kind="depth"
            digits={digitsOf([...bids, ...asks].map(({ size }) => size))}
            data={depthOf(bids, asks)}
          />
          <Sides bids={bids.slice(0, LISTED)} asks={asks.slice(0, LISTED)} />
        </>
      )}
    </Panel>
  );
}

/** The best levels of both sides, beside each other. */
function Sides({ bids, asks }: { readonly bids: readonly Level[]; readonly asks: readonly Level[] }) {
  const columns = levelColumns([...bids, ...asks]);
  const spread = spreadOf(bids, asks);
  return (
    <>
      <p>
        Spread: <Num value={spread} digits={digitsOf([spread])} reason="a side of the book is empty" />
      </p>
      <div class="sides">
        <Table label="Bids" rows={bids} idOf={({ price }) => `bid.${price}`} columns={columns} isDense />
        <Table label="Asks" rows={asks} idOf={({ price }) => `ask.${price}`} columns={columns} isDense />
      </div>
    </>
  );
}

export function Trades({ path }: MarketPath) {
  const read = useResource<{ readonly trades: readonly Trade[] }>(`${path}/trades?limit=20`, 5_000);
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
          columns={[
            { field: 'ts', label: 'When', render: ({ ts }) => <Moment at={new Date(ts).toISOString()} /> },
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
