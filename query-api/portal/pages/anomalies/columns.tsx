/** An anomaly with the bucket that raised it: its value, the baseline, and the distance in standard deviations. */
import { anomalyName, wordsOf } from '../../format/names.ts';
import { Id } from '../../parts/copy.tsx';
import { Num } from '../../parts/number.tsx';
import type { Column } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { Unknown } from '../../parts/unknown.tsx';

export interface Anomaly {
  readonly id: string;
  readonly kind: string;
  readonly universalId: string;
  readonly provider: string;
  readonly marketId: string;
  readonly ts: string;
  readonly bucketVol: number | null;
  readonly baselineMean: number;
  readonly baselineStddev: number;
  readonly zScore: number;
  /** What else was measured. */
  readonly raw: Readonly<Record<string, unknown>> | null;
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function Measured({ raw }: { readonly raw: Anomaly['raw'] }) {
  const fields = Object.entries(raw ?? {});
  if (fields.length === 0) return <Unknown reason="nothing else was measured" />;
  return <>{fields.map(([field, value]) => `${wordsOf(field)}: ${textOf(value)}`).join(', ')}</>;
}

export const WHEN: Column<Anomaly> = { field: 'ts', label: 'When', render: ({ ts }) => <Moment at={ts} /> };
export const KIND: Column<Anomaly> = { field: 'kind', label: 'Kind', render: ({ kind }) => anomalyName(kind) };

/** Where it happened, and what was measured. */
export const MEASURED: readonly Column<Anomaly>[] = [
  { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
  { field: 'marketId', label: 'Market', render: ({ marketId }) => <Id value={marketId} /> },
  {
    field: 'bucketVol',
    label: 'Volume',
    isNumber: true,
    render: ({ bucketVol }) => (
      <Num value={bucketVol} digits={2} reason="only anomalies of trade volume have a volume" />
    ),
  },
  {
    field: 'baselineMean',
    label: 'Baseline',
    isNumber: true,
    render: ({ baselineMean }) => <Num value={baselineMean} digits={4} />,
  },
  {
    field: 'baselineStddev',
    label: 'Deviation',
    isNumber: true,
    render: ({ baselineStddev }) => <Num value={baselineStddev} digits={4} />,
  },
  { field: 'zScore', label: 'z', isNumber: true, render: ({ zScore }) => <Num value={zScore} digits={1} /> },
  { field: 'raw', label: 'Also measured', isWide: true, render: Measured },
];
