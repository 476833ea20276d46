/** The figures of the bar below the pointer, or of the newest one that is shown. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { TimeChart } from '../../format/series.ts';
import type { Span } from '../../format/span.ts';
import { Num } from '../../parts/number.tsx';
import { Moment } from '../../parts/time.tsx';
import { Unknown } from '../../parts/unknown.tsx';

interface ReadoutProps {
  readonly candles: TimeChart;
  readonly volume: TimeChart;
  readonly digits: { readonly price: number; readonly volume: number };
  readonly span: Span;
  /** Index of the bar below the pointer. */
  readonly point: ReadonlySignal<number | null>;
}

export function Readout({ candles, volume, digits, span, point }: ReadoutProps) {
  const index = point.value ?? candles.times.findLastIndex((time) => time < span.to);
  const time = candles.times[index];
  if (time === undefined) return <p class="readout muted">No bar lies in this span.</p>;
  const { note } = candles;
  return (
    <dl class="readout">
      <Entry label="Bar">
        <Moment at={time} />
      </Entry>
      {candles.series.map(({ label, field, values }) => (
        <Entry key={label} label={label} field={field}>
          <Num value={values[index] ?? null} digits={digits.price} reason="no bar of this time" />
        </Entry>
      ))}
      <Entry label="Volume" field="volume">
        <Num value={volume.series[0]!.values[index] ?? null} digits={digits.volume} reason="no bar of this time" />
      </Entry>
      {note && (
        <Entry label={note.label} field={note.field}>
          {note.values[index] ?? <Unknown reason="trades may be missing in this bar, or there is none" />}
        </Entry>
      )}
    </dl>
  );
}

interface EntryProps {
  readonly label: string;
  readonly field?: string | undefined;
  readonly children: ComponentChildren;
}

function Entry({ label, field, children }: EntryProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd data-field={field}>{children}</dd>
    </div>
  );
}
