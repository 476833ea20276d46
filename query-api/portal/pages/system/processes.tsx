import { wordsOf } from '../../format/names.ts';
import { Num } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import type { DeadLetterRow, FeedRow, NodeRow, StageRow, SystemState } from './shapes.ts';

/** Lag from which a stage counts as behind, as in `/health`. */
const LAG_MAX_MS = 5_000;

const NODES: readonly Column<NodeRow>[] = [
  { field: 'node', label: 'Node', render: ({ node }) => <strong>{node}</strong> },
  {
    field: 'roles',
    label: 'Roles',
    isWide: true,
    render: ({ roles }) => (
      <span class="tags">
        {roles.map((role) => (
          <span key={role} class="tag">
            {role}
          </span>
        ))}
      </span>
    ),
  },
  { field: 'version', label: 'Version', render: ({ version }) => version },
  { field: 'startedAt', label: 'Started', isNumber: true, render: ({ startedAt }) => <Moment at={startedAt} /> },
];

const STAGES: readonly Column<StageRow>[] = [
  { field: 'stage', label: 'Stage', isWide: true, render: ({ stage }) => <code>{stage}</code> },
  { field: 'node', label: 'Node', isWide: true, render: ({ node }) => node },
  {
    field: 'positionAt',
    label: 'Position',
    render: ({ positionAt }) => <Moment at={positionAt} reason="nothing was processed yet" />,
  },
  {
    field: 'lagMs',
    label: 'Lag (ms)',
    isNumber: true,
    render: ({ lagMs }) => (
      <span class={lagMs > LAG_MAX_MS ? 'down' : undefined}>
        <Num value={lagMs} />
      </span>
    ),
  },
  {
    field: 'eventsPerSecond',
    label: 'Records/s',
    isNumber: true,
    render: ({ eventsPerSecond }) => <Num value={eventsPerSecond} digits={1} />,
  },
];

const GOOD = new Set(['connected', 'recorded', 'ended']);

const FEEDS: readonly Column<FeedRow>[] = [
  { field: 'feed', label: 'Connection', isWide: true, render: ({ feed }) => <code>{feed}</code> },
  {
    field: 'state',
    label: 'State',
    render: ({ state }) => <span class={GOOD.has(state) ? 'tag good' : 'tag bad'}>{wordsOf(state).toLowerCase()}</span>,
  },
  { field: 'since', label: 'Since', render: ({ since }) => <Moment at={since} /> },
  {
    field: 'lastFrameAt',
    label: 'Last received',
    isNumber: true,
    render: ({ lastFrameAt }) => <Ago at={lastFrameAt} reason="nothing was received yet" />,
  },
  {
    field: 'lost1h',
    label: 'Lost in 1 h',
    isNumber: true,
    render: ({ lost1h }) => (
      <span class={lost1h > 0 ? 'down' : undefined}>
        <Num value={lost1h} />
      </span>
    ),
  },
];

const DEAD_LETTERS: readonly Column<DeadLetterRow>[] = [
  { field: 'topic', label: 'Topic', isWide: true, render: ({ topic }) => <code>{topic}</code> },
  { field: 'reason', label: 'Reason', isWide: true, render: ({ reason }) => <code>{reason}</code> },
  { field: 'count', label: 'Count', isNumber: true, render: ({ count }) => <Num value={count} /> },
];

interface Props {
  readonly system: SystemState;
}

export function Nodes({ system: { nodes } }: Props) {
  return (
    <section class="panel" aria-labelledby="nodes">
      <h2 id="nodes">Nodes</h2>
      <Table label="Nodes" rows={nodes} idOf={({ node }) => node} columns={NODES} />
    </section>
  );
}

export function Stages({ system: { stages, nodes } }: Props) {
  const columns = nodes.length > 1 ? STAGES : STAGES.filter(({ field }) => field !== 'node');
  return (
    <section class="panel" aria-labelledby="stages">
      <h2 id="stages">Stages and views</h2>
      <Table label="Stages and views" rows={stages} idOf={({ stage, node }) => `${stage}.${node}`} columns={columns} />
    </section>
  );
}

export function Feeds({ system: { feeds } }: Props) {
  return (
    <section class="panel" aria-labelledby="feeds">
      <h2 id="feeds">Connections to venues</h2>
      {feeds.length === 0 ? (
        <p class="muted">No running process has the role ingest.</p>
      ) : (
        <Table label="Connections to venues" rows={feeds} idOf={({ feed }) => feed} columns={FEEDS} />
      )}
    </section>
  );
}

export function DeadLetters({ system: { deadLetters } }: Props) {
  return (
    <section class="panel" aria-labelledby="dead-letters">
      <h2 id="dead-letters">Dead letters</h2>
      {deadLetters.length === 0 ? (
        <p class="muted">Every record was processed since the processes started.</p>
      ) : (
        <Table
          label="Dead letters"
          rows={deadLetters}
          idOf={({ topic, reason }) => `${topic}.${reason}`}
          columns={DEAD_LETTERS}
        />
      )}
    </section>
  );
}
