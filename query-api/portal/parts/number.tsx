import { decimalText, signedText } from '../format/number.ts';
import { Unknown } from './unknown.tsx';

interface NumberProps {
  readonly value: number | null;
  /** Decimals; every number of a column has the same, so that their points align. */
  readonly digits?: number;
  /** Why the value is unknown. */
  readonly reason?: string;
  /** True to show the sign of positive values too, and to colour both. */
  readonly signed?: boolean;
  readonly unit?: string;
  /** True to show a fraction in per cent; the exact value on hover remains the fraction. */
  readonly percent?: boolean;
}

export function Num({
  value,
  digits = 0,
  reason = 'not known',
  signed = false,
  unit = '',
  percent = false,
}: NumberProps) {
  if (value === null) return <Unknown reason={reason} />;
  const shown = percent ? value * 100 : value;
  const tone = !signed || value === 0 ? 'num' : value > 0 ? 'num up' : 'num down';
  return (
    <span class={tone} title={String(value)} data-value={value}>
      {signed ? signedText(shown, digits) : decimalText(shown, digits)}
      {unit}
    </span>
  );
}
