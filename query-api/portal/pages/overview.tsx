import type { PriceState } from '#schemas/domain/price-state';
import { anomalyName, phaseName, wordsOf } from '../format/names.ts';
import { compactText, digitsOf } from '../format/number.ts';
import { spanText } from '../format/time.ts';
import { stateOfVenue } from '../format/trading.ts';
import { intervalBeside, useAnnounced, useLive } from '../live/live-resource.ts';
import { useNewest } from '../live/newest.ts';
import { useResource } from '../live/resource.ts';
import { type TradingRow, useTrading } from '../live/use-trading.ts';
import { Num } from '../parts/number.tsx';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { Title } from '../parts/title.tsx';
import { Unknown } from '../parts/unknown.tsx';
import { hrefTo } from '../shell/router.ts';
import type { Anomaly } from './anomalies/columns.tsx';
import type { BoardRow } from './event/board.ts';
import {
  type Board,
  type Edges,
  edgeChannel,
  eventKey,
  newestSeq,
  recordKey,
  spreadChannel,
  withBoardEvents,
  withEdges,
} from './event/live.ts';
import { type Edge, eventPath, OLD_QUOTE_MS } from './event/shapes.ts';

/** A dispute phase, which has an id, or a settlement, which has an outcome. */
interface Outcome {
  readonly kind: 'dispute' | 'settlement';
  readonly universalId: string;
  readonly canonicalName: string;
  readonly ts: string;
  readonly record: {
    readonly provider: string;
    readonly marketId: string;
    readonly id?: string;
    readonly phase?: string;
    readonly outcome?: string | null;
  };
}
interface Health {
  readonly status: string;
  readonly parts: Readonly<Record<string, string>>;
}

const PRICES = intervalBeside(6_000, 10_000);
const LISTS = intervalBeside(20_000, 60_000);
/** The least time between two reads of announced rows, so that many anomalies lead to few reads. */
const LISTS_GAP_MS = 15_000;
const HEALTH_MS = 5_000;
const EDGES = 8;

const EDGE_COLUMNS: readonly Column<Edge>[] = [
  {
    field: 'canonicalName',
    label: 'Event',
    isWide: true,
    render: (edge) => (
      <a href={hrefTo(eventPath(edge.universalId))}>
        <Title text={edge.canonicalName ?? edge.universalId} />
      </a>
    ),
  },
  { field: 'kind', label: 'Kind', render: (edge) => wordsOf(edge.kind) },
  {
    field: 'netEdge',
    label: 'Net edge',
    isNumber: true,
    isStale: (edge) => edge.quoteAgeMs > OLD_QUOTE_MS,
    render: (edge) => <Num value={edge.netEdge} digits={4} signed />,
  },
  {
    field: 'size',
    label: 'Size',
    isNumber: true,
    render: (edge) => <Num value={edge.size} digits={digitsOf([edge.size])} />,
  },
  { field: 'quoteAgeMs', label: 'Quote age', isNumber: true, render: (edge) => spanText(edge.quoteAgeMs) },
];
const SPREAD_COLUMNS: readonly Column<BoardRow>[] = [
  {
    field: 'canonicalName',
    label: 'Event',
    isWide: true,
    render: (row) => (
      <a href={hrefTo(eventPath(row.universalId))}>
        <Title text={row.canonicalName} />
      </a>
    ),
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
/** Unknown spreads come last. */
const bySpread = (a: BoardRow, b: BoardRow): number => (b.spread ?? -1) - (a.spread ?? -1);
const outcomeId = ({ kind, record }: Outcome): string => record.id ?? `${kind}.${record.provider}.${record.marketId}`;
const OUTCOME_COLUMNS: readonly Column<Outcome>[] = [
  {
    field: 'canonicalName',
    label: 'Event',
    isWide: true,
    render: (row) => (
      <a href={hrefTo(eventPath(row.universalId))}>
        <Title text={row.canonicalName} />
      </a>
    ),
  },
  {
    field: 'kind',
    label: 'What',
    render: ({ kind, record }) =>
      kind === 'dispute' ? (
        <span class={record.phase === 'dispute' ? 'tag bad' : 'tag'}>{phaseName(record.phase ?? kind)}</span>
      ) : (
        <span class="tag good">Pays {record.outcome ?? 'in parts'}</span>
      ),
  },
  { field: 'ts', label: 'When', isNumber: true, render: ({ ts }) => <Ago at={ts} /> },
];

const NO_TRADE = 'no trade was received since this page was opened';
/** The lists of markets that are no questions; the others are on the board of events. */
const MARKETS: Readonly<Record<string, string>> = {
  venue_a_perp: '/portal/markets',
  venue_a_dex: '/portal/markets?tab=dex',
};
const venuePath = (provider: string): string =>
  MARKETS[provider] ?? `/portal/events?provider=${/^venue_[a-z]/.exec(provider)?.[0] ?? provider}`;
const VENUE_TONES: Readonly<Record<string, string>> = { trading: 'tag good', quiet: 'tag' };
/** A venue with its trades, and with the state of its prices where none of them is live. */
type VenueRow = Omit<TradingRow, 'state'> & { readonly state: ReturnType<typeof stateOfVenue> };
const VENUE_COLUMNS: readonly Column<VenueRow>[] = [
  {
    field: 'provider',
    label: 'Venue',
    render: ({ provider }) => (
      <a href={hrefTo(venuePath(provider))}>
        <code>{provider}</code>
      </a>
    ),
  },
  {
    field: 'state',
    label: 'State',
    render: ({ state }) =>
      state === null ? (
        <Unknown reason={NO_TRADE} />
      ) : (
        <span class={VENUE_TONES[state] ?? 'tag bad'}>{wordsOf(state).toLowerCase()}</span>
      ),
  },
  {
    field: 'tradesPerSecond',
    label: 'Trades a second',
    isNumber: true,
    render: ({ tradesPerSecond }) => (
      <Num
        value={tradesPerSecond}
        digits={1}
        reason="they are counted from the stream, to which this session is not connected"
      />
    ),
  },
  {
    field: 'delayMs',
    label: 'Delay, ms',
    isNumber: true,
    render: ({ delayMs }) => <Num value={delayMs} reason={NO_TRADE} />,
  },
  {
    field: 'lastAt',
    label: 'Last trade',
    isNumber: true,
    render: ({ lastAt }) => <Ago at={lastAt} reason={NO_TRADE} />,
  },
];

export default function OverviewPage() {
  const readEdges = useResource<Edges>(`/v1/arbitrage?limit=${EDGES}`, PRICES);
  const newestEdges = useNewest(
    (readEdges.data.value?.records ?? []).map(({ universalId }) => edgeChannel(universalId)),
    eventKey,
  );
  const edges = useLive(readEdges, newestEdges, withEdges);
  const readSpreads = useResource<Board>('/v1/events/board?sort=spread&limit=8', PRICES);
  const newestSpreads = useNewest(
    (readSpreads.data.value?.rows ?? []).map(({ universalId }) => spreadChannel(universalId)),
  );
  const spreads = useLive(readSpreads, newestSpreads, withBoardEvents);
  const newestAnomalies = useNewest(['svc:stream:anomaly:all'], recordKey);
  const anomalies = useAnnounced(
    useResource<{ readonly anomalies: readonly Anomaly[] }>('/v1/me/anomaly-feed?limit=8', LISTS),
    newestAnomalies,
    LISTS_GAP_MS,
  );
  const newestPhases = useNewest(['svc:stream:settlement_dispute:venue_b'], recordKey);
  const outcomes = useAnnounced(
    useResource<{ readonly activity: readonly Outcome[] }>(
      '/v1/events/activity?kinds=dispute,settlement&limit=8',
      LISTS,
    ),
    newestPhases,
    LISTS_GAP_MS,
  );
  const venues = useTrading();
  const legs = spreads.data.value?.rows.flatMap((row) => row.legs) ?? [];
  const withPrices = (row: TradingRow): VenueRow => {
    const prices = legs.flatMap(({ provider, state }) =>
      provider === row.provider && state !== null ? [state as PriceState] : [],
    );
    return { ...row, state: stateOfVenue(row.state, prices) };
  };
  const health = useResource<Health>('/health', HEALTH_MS);
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
              seqOf={({ universalId, kind }) =>
                newestEdges.events.value.get(`${edgeChannel(universalId)} ${kind}`)?.seq ?? null
              }
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
              rows={[...data.rows].sort(bySpread)}
              idOf={({ universalId }) => universalId}
              seqOf={({ universalId }) => newestSeq(newestSpreads.events.value, spreadChannel(universalId))}
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
            <Table
              label="Newest anomalies"
              rows={data.anomalies}
              idOf={({ id }) => id}
              seqOf={({ id }) => newestAnomalies.events.value.get(id)?.seq ?? null}
              columns={ANOMALY_COLUMNS}
            />
          )}
        </Panel>
        <Panel
          title="Disputes and settlements"
          resource={outcomes}
          isEmpty={(data) => data.activity.length === 0}
          empty="Nothing was disputed or settled lately. A row appears when an oracle receives an outcome or a market pays."
        >
          {(data) => (
            <Table
              label="Disputes and settlements"
              rows={data.activity}
              idOf={outcomeId}
              seqOf={({ record }) => newestPhases.events.value.get(record.id ?? '')?.seq ?? null}
              columns={OUTCOME_COLUMNS}
            />
          )}
        </Panel>
        <Panel title="Venues" resource={venues}>
          {(rows) => (
            <Table
              label="Venues"
              rows={rows.map(withPrices)}
              idOf={({ provider }) => provider}
              columns={VENUE_COLUMNS}
            />
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
