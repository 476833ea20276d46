/** The book of a market, as a chart of its depth and as its best levels. */
import { useContext } from 'preact/hooks';
import { depthOf } from '../../format/depth.ts';
import { digitsOf } from '../../format/number.ts';
import { intervalOnceSent, useLive } from '../../live/live-resource.ts';
import { useNewest } from '../../live/newest.ts';
import { useResource } from '../../live/resource.ts';
import { BookSides } from '../../parts/book-sides.tsx';
import { Chart } from '../../parts/chart.tsx';
import { IsOld } from '../../parts/is-old.ts';
import { Panel } from '../../parts/panel.tsx';
import { Arrival } from './arrival.tsx';
import { EVERY_MS } from './intervals.ts';
import { bookChannel, type Book as MarketBook, withBooks } from './live.ts';

/** Levels of each side that the table lists; the chart shows all. */
const LISTED = 10;

interface BookProps {
  /** The path of the market's REST routes. */
  readonly path: string;
  /** The venue's coin; null while it is not known. */
  readonly coin: string | null;
}

export function Book({ path, coin }: BookProps) {
  const channels = coin === null ? [] : [bookChannel(coin)];
  const newest = useNewest(channels);
  const { alone, besideChannel } = EVERY_MS.book;
  const read = useResource<MarketBook>(`${path}/orderbook?depth=100`, intervalOnceSent(newest, alone, besideChannel));
  const book = useLive(read, newest, withBooks, true);
  const state = newest.states.value.get(channels[0] ?? '') ?? null;
  return (
    <Panel
      title="Order book"
      resource={book}
      isEmpty={({ bids, asks }) => bids.length + asks.length === 0}
      empty="Neither side of the book has an order."
      actions={<Arrival newest={newest} what="Each change" everyMs={alone} state={state} />}
    >
      {(data) => <Sides book={data} isStale={state !== null && state !== 'live'} />}
    </Panel>
  );
}

function Sides({ book, isStale }: { readonly book: MarketBook; readonly isStale: boolean }) {
  const isOld = useContext(IsOld) || isStale;
  const { bids, asks, seq } = book;
  return (
    <IsOld.Provider value={isOld}>
      <Chart
        name="depth"
        caption="Size up to each price"
        kind="depth"
        digits={digitsOf([...bids, ...asks].map(({ size }) => size))}
        data={depthOf([{ bids, asks }])}
      />
      <BookSides bids={bids} asks={asks} limit={LISTED} seq={seq ?? null} />
    </IsOld.Provider>
  );
}
