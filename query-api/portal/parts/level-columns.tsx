import type { Level } from '../format/depth.ts';
import { digitsOf } from '../format/number.ts';
import { Num } from './number.tsx';
import type { Column } from './table.tsx';

/** Columns of price and size, of a side of a book and of trades, with the digits that all levels need. */
export function levelColumns(
  levels: readonly Level[],
  priceLabel: 'Bid' | 'Ask' | 'Price' = 'Price',
): readonly [price: Column<Level>, size: Column<Level>] {
  const tone = { Bid: 'up', Ask: 'down', Price: undefined }[priceLabel];
  const [priceDigits, sizeDigits] = [digitsOf(levels.map((level) => level.price)), digitsOf(levels.map((l) => l.size))];
  return [
    {
      field: 'price',
      label: priceLabel,
      isNumber: true,
      render: ({ price }) => (
        <span class={tone}>
          <Num value={price} digits={priceDigits} />
        </span>
      ),
    },
    { field: 'size', label: 'Size', isNumber: true, render: ({ size }) => <Num value={size} digits={sizeDigits} /> },
  ];
}
