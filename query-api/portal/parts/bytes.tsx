import { bytesText } from '../format/number.ts';
import { Unknown } from './unknown.tsx';

/** A number of bytes in its largest unit, exact on hover. */
export function Bytes({ value, reason = 'not known' }: { readonly value: number | null; readonly reason?: string }) {
  if (value === null) return <Unknown reason={reason} />;
  return (
    <span class="num" title={`${value} bytes`} data-value={value}>
      {bytesText(value)}
    </span>
  );
}
