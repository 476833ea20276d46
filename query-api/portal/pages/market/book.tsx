/** The book of a market, as a chart of its depth and as its best levels. */
import { type DepthBook, depthOf } from '../../format/depth.ts';
import { digitsOf } from '../../format/number.ts';
import { useResource } from '../../live/resource.ts';
import { BookSides } from '../../parts/book-sides.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Panel } from '../../parts/panel.tsx';

const REFRESH_MS = 5_000;
/** Levels of each side that the table lists; the chart shows all. */
const LISTED = 10;

/** @param path of the market's REST routes. */
export function Book({ path }: { readonly path: string }) {
  const book = useResource<DepthBook>(`${path}/orderbook?depth=100`, REFRESH_MS);
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
            data={depthOf([{ bids, asks }])}
          />
          <BookSides bids={bids} asks={asks} limit={LISTED} />
        </>
      )}
    </Panel>
  );
}
