/** The book of a market, as a chart of its depth and as its best levels. */
import { depthOf, type Level, spreadOf } from '../../format/depth.ts';
import { decimalText, digitsOf } from '../../format/number.ts';
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { levelColumns } from './level-columns.tsx';

const REFRESH_MS = 3_000;
/** Levels of each side that the table lists; the chart shows all. */
const LISTED = 10;

/** @param path of the market's REST routes. */
export function Book({ path }: { readonly path: string }) {
  const book = useResource<{ readonly bids: readonly Level[]; readonly asks: readonly Level[] }>(
    `${path}/orderbook?depth=100`,
    REFRESH_MS,
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

/** The best levels of both sides, beside each other with the prices in the middle. */
function Sides({ bids, asks }: { readonly bids: readonly Level[]; readonly asks: readonly Level[] }) {
  const [bid, size] = levelColumns([...bids, ...asks], 'Bid');
  const [ask] = levelColumns([...bids, ...asks], 'Ask');
  return (
    <>
      <Spread bids={bids} asks={asks} />
      <div class="sides">
        <Table label="Bids" rows={bids} idOf={({ price }) => `bid.${price}`} columns={[size, bid]} isDense />
        <Table label="Asks" rows={asks} idOf={({ price }) => `ask.${price}`} columns={[ask, size]} isDense />
      </div>
    </>
  );
}

function Spread({ bids, asks }: { readonly bids: readonly Level[]; readonly asks: readonly Level[] }) {
  const spread = spreadOf(bids, asks);
  return (
    <p>
      <span class="muted">Spread</span>{' '}
      <Num value={spread} digits={digitsOf([spread])} reason="a side of the book is empty" />
      {spread !== null && (
        <span class="muted"> ({decimalText((spread / asks[0]!.price) * 10_000, 2)} basis points)</span>
      )}
    </p>
  );
}
