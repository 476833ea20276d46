import { anomalyName, wordsOf } from '../format/names.ts';
import { compactText } from '../format/number.ts';
import { spanText } from '../format/time.ts';
import { useResource } from '../live/resource.ts';
import { Num } from '../parts/number.tsx';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { hrefTo } from '../shell/router.ts';
import type { BoardRow } from './event/board.ts';
import { type Edge, eventPath, OLD_QUOTE_MS } from './event/shapes.ts';

interface Anomaly {
  readonly id: string;
  readonly kind: string;
  readonly universalId: string;
  readonly provider: string;
  readonly ts: string;
  readonly zScore: number;
}
interface Health {
  readonly status: string;
  readonly parts: Readonly<Record<string, string>>;
}

const FAST_MS = 2_000;
const SLOW_MS = 5_000;
const EDGES = 8;

const EDGE_COLUMNS: readonly Column<Edge>[] = [
  {
    field: 'canonicalName',
    label: 'Event',
    isWide: true,
    render: (edge) => <a href={hrefTo(eventPath(edge.universalId))}>{edge.canonicalName}</a>,
  },
  { field: 'kind', label: 'Kind', render: (edge) => wordsOf(edge.kind) },
  {
    field: 'netEdge',
    label: 'Net edge',
    isNumber: true,
    isStale: (edge) => edge.quoteAgeMs > OLD_QUOTE_MS,
    render: (edge) => <Num value={edge.netEdge} digits={4} signed />,
  },
  { field: 'size', label: 'Size', isNumber: true, render: (edge) => <Num value={edge.size} digits={2} /> },
  { field: 'quoteAgeMs', label: 'Quote age', isNumber: true, render: (edge) => spanText(edge.quoteAgeMs) },
];
const SPREAD_COLUMNS: readonly Column<BoardRow>[] = [
  {
    field: 'canonicalName',
    label: 'Event',
    isWide: true,
    render: (row) => <a href={hrefTo(eventPath(row.universalId))}>{row.canonicalName}</a>,
  },
  {
    field: 'spread',
    label: 'Spread',
    isNumber: true,
    render: ({ spread }) => <Num value={spread} digits={4} reason="fewer than two legs are live" />,
  },
  {
    field: 'volume24h',
    label: 'Volume 24 h',
    isNumber: true,
    render: ({ volume24h }) => <span title={String(volume24h)}>{compactText(volume24h)}</span>,
  },
];
const ANOMALY_COLUMNS: readonly Column<Anomaly>[] = [
  {
    field: 'kind',
    label: 'Kind',
    render: (anomaly) => <a href={hrefTo(eventPath(anomaly.universalId))}>{anomalyName(anomaly.kind)}</a>,
  },
  { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
  { field: 'zScore', label: 'z', isNumber: true, render: ({ zScore }) => <Num value={zScore} digits={1} /> },
  { field: 'ts', label: 'When', isNumber: true, render: ({ ts }) => <Ago at={ts} /> },
];

export default function OverviewPage() {
  const edges = useResource<{ readonly records: readonly Edge[] }>(`/v1/arbitrage?limit=${EDGES}`, FAST_MS);
  const spreads = useResource<{ readonly rows: readonly BoardRow[] }>('/v1/events/board?sort=spread&limit=8', FAST_MS);
  const anomalies = useResource<{ readonly anomalies: readonly Anomaly[] }>('/v1/me/anomaly-feed?limit=8', SLOW_MS);
  const health = useResource<Health>('/health', SLOW_MS);
  return (
    <Page name="overview" title="Overview">
      <div class="panels">
        <Panel
          title="Best edges now"
          resource={edges}
          isEmpty={(data) => data.records.length === 0}
          empty="No event has an edge above its fees now. One appears here as soon as two venues disagree enough."
        >
          {(data) => (
            <Table
              label="Best edges now"
              rows={data.records}
              idOf={(edge) => `${edge.universalId}.${edge.kind}`}
              columns={EDGE_COLUMNS}
            />
          )}
        </Panel>
        <Panel
          title="Largest spreads"
          resource={spreads}
          isEmpty={(data) => data.rows.length === 0}
          empty="No event has live prices of two venues now."
        >
          {(data) => (
            <Table
              label="Largest spreads"
              rows={data.rows}
              idOf={({ universalId }) => universalId}
              columns={SPREAD_COLUMNS}
            />
          )}
        </Panel>
        <Panel
          title="Newest anomalies"
          resource={anomalies}
          isEmpty={(data) => data.anomalies.length === 0}
          empty="Nothing unusual happened lately on markets that you can see."
        >
          {(data) => (
            <Table label="Newest anomalies" rows={data.anomalies} idOf={({ id }) => id} columns={ANOMALY_COLUMNS} />
          )}
        </Panel>
        <Panel title="Service" resource={health}>
          {(data) => <Parts health={data} />}
        </Panel>
      </div>
    </Page>
  );
}

function Parts({ health }: { readonly health: Health }) {
  return (
    <dl class="facts">
      <div>
        <dt>Status</dt>
        <dd data-field="status">
          <span class={health.status === 'ok' ? 'tag good' : 'tag bad'}>{health.status}</span>
        </dd>
      </div>
      {Object.entries(health.parts).map(([part, state]) => (
        <div key={part}>
          <dt>{part}</dt>
          <dd class={state === 'ready' ? 'muted' : 'wrap'}>{state}</dd>
        </div>
      ))}
    </dl>
  );
}
