/** The newest figures of a market, as its venue states them. */
import { decimalText, digitsOf } from '../../format/number.ts';
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { EVERY_MS } from './intervals.ts';

/** What the route of a market returns; its fields depend on the family. */
export type Snapshot = Readonly<Record<string, string | number | null>>;

const HOURS_OF_YEAR = 24 * 365;

/** The figures that the routes of the families return, in the order in which they are shown. Others follow by name. */
const LABELS: Readonly<Record<string, string>> = {
  markPx: 'Mark price',
  markPrice: 'Mark price',
  oraclePx: 'Oracle price',
  oraclePrice: 'Oracle price',
  midPx: 'Middle of the book',
  midPrice: 'Middle of the book',
  prevDayPrice: 'Price 24 hours ago',
  dayChangePct: 'Change of 24 hours',
  funding: 'Funding per hour',
  fundingRate: 'Funding per hour',
  openInterest: 'Open interest',
  dayNtlVlm: 'Turnover of 24 hours',
  dayNotionalVolume: 'Turnover of 24 hours',
  dayBaseVlm: 'Volume of 24 hours',
  dayBaseVolume: 'Volume of 24 hours',
};

interface FiguresProps {
  readonly figures: Snapshot;
  readonly isOld: boolean;
}

export function Figures({ figures, isOld }: FiguresProps) {
  const known = Object.keys(LABELS).filter((field) => field in figures);
  const others = Object.keys(figures).filter((field) => !(field in LABELS) && typeof figures[field] !== 'string');
  return (
    <section class="panel" aria-label="Figures">
      <dl class="facts tiles">
        {[...known, ...others].map((field) => (
          <Fact key={field} label={LABELS[field] ?? field} field={field} isOld={isOld}>
            <Figure field={field} value={figures[field] as number | null} />
          </Fact>
        ))}
      </dl>
      <p class="muted">No channel has these figures: they are read every {EVERY_MS.figures / 1_000} seconds.</p>
    </section>
  );
}

/** The most decimals of the figures that are no prices; the whole number is shown on hover. */
const DIGITS_MAX: Readonly<Record<string, number>> = {
  dayChangePct: 2,
  openInterest: 2,
  dayNtlVlm: 0,
  dayNotionalVolume: 0,
  dayBaseVlm: 2,
  dayBaseVolume: 2,
};

function Figure({ field, value }: { readonly field: string; readonly value: number | null }) {
  const isChange = field === 'dayChangePct';
  return (
    <>
      <Num
        value={value}
        digits={digitsOf([value], DIGITS_MAX[field])}
        signed={isChange}
        unit={isChange ? ' %' : ''}
        reason="the venue states none"
      />
      {field.startsWith('funding') && value !== null && (
        <span class="muted whole"> {decimalText(value * HOURS_OF_YEAR * 100, 2)} % a year</span>
      )}
    </>
  );
}
