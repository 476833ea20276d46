/** The books of an event's markets in terms of YES: their depth on one axis of prices, and their best levels. */
import { useContext } from 'preact/hooks';
import { type DepthBook, depthOf } from '../../format/depth.ts';
import { legNames } from '../../format/leg-names.ts';
import { digitsOf } from '../../format/number.ts';
import { useResource } from '../../live/resource.ts';
import { BookSides } from '../../parts/book-sides.tsx';
import { Chart } from '../../parts/chart.tsx';
import { IsOld } from '../../parts/is-old.ts';
import { Panel } from '../../parts/panel.tsx';
import { Ago } from '../../parts/time.tsx';
import { type EventBook, emptyBookReason } from './event-books.ts';
import { EVERY_MS } from './intervals.ts';
import { apiPath } from './shapes.ts';

/** Levels of each side that the tables list; the chart shows all that were read. */
const LISTED = 10;

const isEmpty = ({ bids, asks }: EventBook) => bids.length + asks.length === 0;
const keyOf = ({ provider, marketId }: EventBook) => `${provider}.${marketId}`;

function named(books: readonly EventBook[]): DepthBook[] {
  const names = legNames(books);
  return books.map(({ bids, asks }, index) => ({ name: names[index]!, bids, asks }));
}

export function Books({ id }: { readonly id: string }) {
  const read = useResource<{ readonly books: readonly EventBook[] }>(apiPath(id, 'books'), EVERY_MS.books);
  const books = read.data.value?.books ?? [];
  return (
    <Panel
      title="Order books"
      resource={read}
      isEmpty={({ books }) => books.every(isEmpty)}
      empty={
        books.length === 0 ? (
          'No market of this event is linked, so that there is no book.'
        ) : (
          <ul>
            {books.map((book) => (
              <li key={keyOf(book)}>
                <code>{book.provider}</code>: {emptyBookReason(book)}.
              </li>
            ))}
          </ul>
        )
      }
    >
      {({ books }) => {
        const sides = named(books);
        return (
          <>
            <Chart
              name="depth"
              caption="Shares up to each price of YES"
              kind="depth"
              digits={digitsOf(books.flatMap(({ bids, asks }) => [...bids, ...asks]).map(({ size }) => size))}
              data={depthOf(sides)}
            />
            <div class="books">
              {books.map((book, index) => (
                <OneBook key={keyOf(book)} book={book} sides={sides[index]!} />
              ))}
            </div>
          </>
        );
      }}
    </Panel>
  );
}

function OneBook({ book, sides }: { readonly book: EventBook; readonly sides: DepthBook }) {
  const isOld = useContext(IsOld) || book.state !== 'live';
  return (
    <section class="stack" data-id={keyOf(book)} tabIndex={-1} aria-label={`Book of ${sides.name}`}>
      <p class="facts-line">
        <strong>{sides.name}</strong>
        <span class={book.state === 'live' ? 'tag good' : 'tag'} data-field="state">
          {book.state ?? 'not known'}
        </span>
      </p>
      <p class="muted">
        Changed{' '}
        <span data-field="ts">
          <Ago at={book.ts} reason="no book of this market was received" />
        </span>
      </p>
      {isEmpty(book) ? (
        <p class="muted">There are no levels: {emptyBookReason(book)}.</p>
      ) : (
        <IsOld.Provider value={isOld}>
          <BookSides {...sides} limit={LISTED} />
        </IsOld.Provider>
      )}
    </section>
  );
}
