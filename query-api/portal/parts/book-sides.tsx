/** The best levels of both sides of a book, beside each other with the prices in the middle, and its spread. */
import { type DepthBook, type Level, spreadOf } from '../format/depth.ts';
import { decimalText, digitsOf } from '../format/number.ts';
import { levelColumns } from './level-columns.tsx';
import { Num } from './number.tsx';
import { Table } from './table.tsx';

interface SidesProps extends DepthBook {
  /** The most levels of a side that are listed. */
  readonly limit: number;
  /** Number of the event that the book came with; null for a book that REST returned. */
  readonly seq?: number | null;
}

export function BookSides({ name, bids, asks, limit, seq = null }: SidesProps) {
  const listed: DepthBook = { bids: bids.slice(0, limit), asks: asks.slice(0, limit) };
  const levels = [...listed.bids, ...listed.asks];
  const [bid, size] = levelColumns(levels, 'Bid');
  const [ask] = levelColumns(levels, 'Ask');
  const labelOf = (side: string) => (name === undefined ? side : `${side} of ${name}`);
  return (
    <>
      <Spread {...listed} />
      <div class="sides">
        <Table
          label={labelOf('Bids')}
          rows={listed.bids}
          idOf={({ price }) => `bid.${price}`}
          seqOf={() => seq}
          columns={[size, bid]}
          isDense
        />
        <Table
          label={labelOf('Asks')}
          rows={listed.asks}
          idOf={({ price }) => `ask.${price}`}
          seqOf={() => seq}
          columns={[ask, size]}
          isDense
        />
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
