import { anomalyName } from '../format/names.ts';
import { intervalBeside, useAnnounced } from '../live/live-resource.ts';
import { useNewest } from '../live/newest.ts';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Id } from '../parts/copy.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { hrefTo } from '../shell/router.ts';
import { recordKey } from './event/live.ts';

interface Anomaly {
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
}

const REFRESH = intervalBeside(5_000, 15_000);
const CHANNEL = 'svc:stream:anomaly:all';
const KINDS = [
  ['all', 'All'],
  ['trade_volume_spike', 'Trade volume'],
  ['spread_widening', 'Wide spread'],
  ['wallet_burst', 'One wallet'],
  ['settlement_delay', 'Late settlement'],
] as const;

const COLUMNS: readonly Column<Anomaly>[] = [
  { field: 'ts', label: 'When', render: ({ ts }) => <Moment at={ts} /> },
  { field: 'kind', label: 'Kind', render: ({ kind }) => anomalyName(kind) },
  {
    field: 'universalId',
    label: 'Event',
    render: ({ universalId }) => (
      <a href={hrefTo(`/portal/events/${encodeURIComponent(universalId)}`)}>
        <code>{universalId.slice(0, 14)}</code>
      </a>
    ),
  },
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
];

export default function AnomaliesPage() {
  const newest = useNewest([CHANNEL], recordKey);
  const feed = useAnnounced(
    useResource<{ readonly anomalies: readonly Anomaly[] }>('/v1/me/anomaly-feed?limit=200', REFRESH),
    newest,
  );
  const kind = chosen('kind', KINDS);
  const isShown = (anomaly: Anomaly) => kind === 'all' || anomaly.kind === kind;
  return (
    <Page
      name="anomalies"
      title="Anomalies"
      {...framed(feed, ({ anomalies }) => !anomalies.some(isShown))}
      actions={<Choice name="kind" label="Kind" options={KINDS} />}
      empty={
        <p>
          A bucket of a market that is far from its own past is listed here: its value, the baseline and the distance in
          standard deviations (z). There is none of this kind in the window.
        </p>
      }
    >
      <Table
        label="Anomalies"
        rows={(feed.data.value?.anomalies ?? []).filter(isShown)}
        idOf={({ id }) => id}
        seqOf={({ id }) => newest.events.value.get(id)?.seq ?? null}
        columns={COLUMNS}
      />
    </Page>
  );
}
