import { spanText } from '../../format/time.ts';
import { useLive } from '../../live/live-resource.ts';
import { useNewest } from '../../live/newest.ts';
import { useResource } from '../../live/resource.ts';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { noEdgeReason } from './board.ts';
import { EVERY_MS } from './intervals.ts';
import { type Edges as EdgeList, edgeChannel, eventKey, withEdges } from './live.ts';
import { apiPath, type Edge, OLD_QUOTE_MS } from './shapes.ts';

interface Decay {
  readonly signalsConsidered: number;
  readonly decayedSignals: number;
  readonly medianHalfLifeMs: number | null;
}
type Step = readonly [field: string, text: string, value: number | null | undefined, isTotal?: boolean];

/** What is bought and sold, what it costs and what remains, each per share. */
function stepsOf(edge: Edge): Step[] {
  const first: Step[] =
    edge.kind === 'cross_provider'
      ? [
          ['grossEdge', 'Gross edge at the best prices', edge.grossEdge],
          ['buyPrice', `Buy YES on ${edge.buyProvider}, average`, edge.buyPrice],
          ['sellPrice', `Sell YES on ${edge.sellProvider}, average`, edge.sellPrice],
          ['buyFee', 'Fee of buying', edge.buyFee],
          ['sellFee', 'Fee of selling', edge.sellFee],
        ]
      : [
          ['grossEdge', 'Gross edge at the best prices', edge.grossEdge],
          ['yesPrice', `Buy YES on ${edge.yesProvider}, average`, edge.yesPrice],
          ['noPrice', `Buy NO on ${edge.noProvider}, average`, edge.noPrice],
          ['yesFee', 'Fee of YES', edge.yesFee],
          ['noFee', 'Fee of NO', edge.noFee],
        ];
  return [...first, ['netEdge', 'Net edge', edge.netEdge, true]];
}

const TITLES = { cross_provider: 'Buy on one venue, sell on the other', negation_pair: 'Buy YES and NO' };

function Steps({ edge, seq }: { readonly edge: Edge; readonly seq: number | undefined }) {
  const isStale = edge.quoteAgeMs > OLD_QUOTE_MS;
  return (
    <section class="steps" data-id={edge.kind} data-seq={seq} tabIndex={-1} aria-label={TITLES[edge.kind]}>
      <h3>{TITLES[edge.kind]}</h3>
      <dl class="facts one" data-stale={isStale ? '' : undefined}>
        {stepsOf(edge).map(([field, text, value, isTotal]) => (
          <div key={field} class={isTotal ? 'total' : undefined}>
            <dt>{text}</dt>
            <dd data-field={field}>
              <Num value={value ?? null} digits={6} signed={field === 'netEdge'} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        For <span data-field="size">{edge.size.toLocaleString('en-US')}</span> shares, in USD a share. The older quote
        is <span data-field="quoteAgeMs">{spanText(edge.quoteAgeMs)}</span> old.
      </p>
    </section>
  );
}

/** Why the kinds without arbitrage have none. */
function Absent({ records, absent = [] }: Pick<EdgeList, 'records' | 'absent'>) {
  const kinds = Object.keys(TITLES) as Edge['kind'][];
  const without = kinds.filter((kind) => records.every((edge) => edge.kind !== kind));
  return (
    <>
      {without.map((kind) => {
        const reasons = new Set(absent.filter((pair) => pair.kind === kind).map(({ reason }) => noEdgeReason(reason)));
        return (
          <section key={kind} class="steps" data-id={kind} tabIndex={-1} aria-label={TITLES[kind]}>
            <h3>{TITLES[kind]}</h3>
            <p class="muted">
              There is none now: <span data-field="reason">{[...reasons].join('; ') || noEdgeReason(null)}</span>.
            </p>
          </section>
        );
      })}
    </>
  );
}

/** The arbitrage of each kind, step by step. */
export function Edges({ id }: { readonly id: string }) {
  const channel = edgeChannel(id);
  const newest = useNewest([channel], eventKey);
  const current = useLive(useResource<EdgeList>(apiPath(id, 'arbitrage'), EVERY_MS.arbitrage), newest, withEdges);
  const decay = useResource<Decay>(apiPath(id, 'arb-decay'), EVERY_MS.decay);
  const half = decay.data.value;
  return (
    <Panel
      title="Arbitrage"
      resource={current}
      isEmpty={({ records }) => records.length === 0}
      empty={<Absent records={[]} absent={current.data.value?.absent} />}
    >
      {({ records, absent }) => (
        <>
          {records.map((edge) => (
            <Steps key={edge.kind} edge={edge} seq={newest.events.value.get(`${channel} ${edge.kind}`)?.seq} />
          ))}
          <Absent records={records} absent={absent} />
          {half && (
            <p class="muted">
              Half-life of edges:{' '}
              <span data-field="medianHalfLifeMs">
                {half.medianHalfLifeMs === null ? 'none has decayed yet' : spanText(half.medianHalfLifeMs)}
              </span>
              , from {half.decayedSignals} of {half.signalsConsidered} signals.
            </p>
          )}
        </>
      )}
    </Panel>
  );
}
