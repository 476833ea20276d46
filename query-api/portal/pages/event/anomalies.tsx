import { useAnnounced } from '../../live/live-resource.ts';
import { useNewest } from '../../live/newest.ts';
import { useResource } from '../../live/resource.ts';
import { Panel } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { type Anomaly, KIND, MEASURED, WHEN } from '../anomalies/columns.tsx';
import { EVERY_MS } from './intervals.ts';
import { anomalyChannel, recordKey } from './live.ts';
import { apiPath } from './shapes.ts';

const COLUMNS = [WHEN, KIND, ...MEASURED];

/** What was unusual on the markets of an event in the last days, newest first. */
export function Anomalies({ id }: { readonly id: string }) {
  const newest = useNewest([anomalyChannel(id)], recordKey);
  const history = useAnnounced(
    useResource<{ readonly anomalies: readonly Anomaly[] }>(
      apiPath(id, 'anomaly-history?limit=20'),
      EVERY_MS.anomalies,
    ),
    newest,
  );
  return (
    <Panel
      title="Anomalies"
      resource={history}
      isEmpty={({ anomalies }) => anomalies.length === 0}
      empty="Nothing unusual happened on its markets in seven days. A row appears for a minute that is far from its past."
    >
      {({ anomalies }) => (
        <Table
          label="Anomalies"
          rows={anomalies}
          idOf={(anomaly) => anomaly.id}
          seqOf={(anomaly) => newest.events.value.get(anomaly.id)?.seq ?? null}
          columns={COLUMNS}
        />
      )}
    </Panel>
  );
}
