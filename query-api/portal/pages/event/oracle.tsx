/** What the oracle decided about an event: proposals, disputes and settlements on the chain, and what each market pays. */
import { phaseName } from '../../format/names.ts';
import { spanText } from '../../format/time.ts';
import { timelinesOf } from '../../format/timeline.ts';
import { useAnnounced } from '../../live/live-resource.ts';
import { useNewest } from '../../live/newest.ts';
import { useResource } from '../../live/resource.ts';
import { Id } from '../../parts/copy.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import { EVERY_MS } from './intervals.ts';
import { disputeChannel, newestSeq, recordKey, settlementChannel } from './live.ts';
import { apiPath, type DisputePhase, type Settlement } from './shapes.ts';

const TONES = { propose: 'tag', dispute: 'tag bad', settle: 'tag good' } as const;

/** A wallet, a hash or an id, shortened. */
const idColumn = <Row,>(field: keyof Row & string, label: string, reason: string): Column<Row> => ({
  field,
  label,
  render: (row) => {
    const value = row[field];
    return value === null ? <Unknown reason={reason} /> : <Id value={String(value)} />;
  },
});

const statusColumn: Column<{ readonly status: string }> = {
  field: 'status',
  label: 'Status',
  render: ({ status }) => <span class={status === 'confirmed' ? 'tag good' : 'tag'}>{status}</span>,
};

const PHASE_COLUMNS: readonly Column<DisputePhase>[] = [
  { field: 'ts', label: 'When', render: ({ ts }) => <Moment at={ts} /> },
  {
    field: 'phase',
    label: 'What',
    render: ({ phase }) => <span class={TONES[phase]}>{phaseName(phase)}</span>,
  },
  {
    field: 'price',
    label: 'Price of YES',
    isNumber: true,
    render: ({ price }) => price ?? <Unknown reason="the log states a value that is no outcome" />,
  },
  idColumn('proposer', 'Proposer', 'the log names none'),
  idColumn('disputer', 'Disputer', 'nobody has disputed it'),
  idColumn('marketId', 'Market', 'the question is not tied to a market yet'),
  { field: 'blockNumber', label: 'Block', isNumber: true, render: ({ blockNumber }) => <Num value={blockNumber} /> },
  idColumn('txHash', 'Transaction', 'not known'),
  statusColumn,
];

const SETTLEMENT_COLUMNS: readonly Column<Settlement>[] = [
  {
    field: 'resolvedAt',
    label: 'When',
    render: ({ resolvedAt, resolvedAtIsBound }) => (
      <>
        {resolvedAtIsBound && 'at the latest '}
        <Moment at={resolvedAt} />
      </>
    ),
  },
  { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
  idColumn('marketId', 'Market', 'not known'),
  { field: 'outcome', label: 'Outcome', render: ({ outcome }) => <span class="tag good">{outcome}</span> },
  { field: 'payouts', label: 'Pays', render: ({ payouts }) => payouts.join(', ') },
  {
    field: 'settlementDelaySec',
    label: 'After its end',
    isNumber: true,
    render: ({ settlementDelaySec: delay }) =>
      delay === null ? (
        <Unknown reason="the end or the time of the decision is not known well enough" />
      ) : (
        <span title={`${delay} s`}>{delay < 0 ? `${spanText(-delay * 1_000)} before` : spanText(delay * 1_000)}</span>
      ),
  },
  {
    field: 'blockNumber',
    label: 'Block',
    isNumber: true,
    render: ({ blockNumber }) => <Num value={blockNumber} reason="this venue does not settle on a chain" />,
  },
  idColumn('txHash', 'Transaction', 'this venue does not settle on a chain'),
  statusColumn,
];

/** The steps of the oracle for each market from left to right, with the time between them. */
function Timelines({ disputes }: { readonly disputes: readonly DisputePhase[] }) {
  return (
    <>
      {timelinesOf(disputes).map(({ marketId, steps }) => (
        <ol key={marketId} class="timeline" aria-label={`Timeline of ${marketId ?? 'a question without a market'}`}>
          {steps.map(({ step, afterMs }) => (
            <li key={step.id}>
              <span class={TONES[step.phase]}>{phaseName(step.phase)}</span> <Moment at={step.ts} />
              {afterMs !== null && <small class="muted">{spanText(afterMs)} later</small>}
            </li>
          ))}
        </ol>
      ))}
    </>
  );
}

/** The proposals, disputes and settlements of the oracle, oldest first. */
export function Disputes({ id }: { readonly id: string }) {
  const newest = useNewest([disputeChannel(id)], recordKey);
  const history = useAnnounced(
    useResource<{ readonly disputes: readonly DisputePhase[] }>(apiPath(id, 'dispute-history'), EVERY_MS.disputes),
    newest,
  );
  return (
    <Panel
      title="Proposals and disputes"
      resource={history}
      isEmpty={({ disputes }) => disputes.length === 0}
      empty="The oracle received nothing about this event yet. A row appears when somebody proposes an outcome."
    >
      {({ disputes }) => (
        <>
          <Timelines disputes={disputes} />
          <Table
            label="Proposals and disputes"
            rows={disputes}
            idOf={(phase) => phase.id}
            seqOf={(phase) => newest.events.value.get(phase.id)?.seq ?? null}
            columns={PHASE_COLUMNS}
          />
        </>
      )}
    </Panel>
  );
}

/** How each market was resolved, in the order of resolution. */
export function Settlements({ id }: { readonly id: string }) {
  const channel = settlementChannel(id);
  const newest = useNewest([channel]);
  const settled = useAnnounced(
    useResource<{ readonly records: readonly Settlement[] }>(apiPath(id, 'settlement?all=true'), EVERY_MS.settlements),
    newest,
  );
  return (
    <Panel
      title="Settlement"
      resource={settled}
      isEmpty={({ records }) => records.length === 0}
      empty="None of its markets was resolved yet. A row appears for each market that pays."
    >
      {({ records }) => (
        <Table
          label="Settlement"
          rows={records}
          idOf={({ provider, marketId }) => `${provider}.${marketId}`}
          seqOf={() => newestSeq(newest.events.value, channel)}
          columns={SETTLEMENT_COLUMNS}
        />
      )}
    </Panel>
  );
}
