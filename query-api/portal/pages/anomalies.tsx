import { intervalBeside, useAnnounced } from '../live/live-resource.ts';
import { useNewest } from '../live/newest.ts';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { hrefTo } from '../shell/router.ts';
import { type Anomaly, KIND, MEASURED, WHEN } from './anomalies/columns.tsx';
import { recordKey } from './event/live.ts';
import { eventPath } from './event/shapes.ts';

const REFRESH = intervalBeside(10_000, 60_000);
/** The least time between two reads of the list, so that many anomalies lead to few reads. */
const GAP_MS = 5_000;
const CHANNEL = 'svc:stream:anomaly:all';
const KINDS = [
  ['all', 'All'],
  ['trade_volume_spike', 'Trade volume'],
  ['spread_widening', 'Wide spread'],
  ['wallet_burst', 'One wallet'],
  ['settlement_delay', 'Late settlement'],
] as const;

const COLUMNS: readonly Column<Anomaly>[] = [
  WHEN,
  KIND,
  {
    field: 'universalId',
    label: 'Event',
    render: ({ universalId }) => (
      <a href={hrefTo(eventPath(universalId))}>
        <code>{universalId.slice(0, 14)}</code>
      </a>
    ),
  },
  ...MEASURED,
];

export default function AnomaliesPage() {
  const newest = useNewest([CHANNEL], recordKey);
  const feed = useAnnounced(
    useResource<{ readonly anomalies: readonly Anomaly[] }>('/v1/me/anomaly-feed?limit=200', REFRESH),
    newest,
    GAP_MS,
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
