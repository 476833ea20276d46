/** What wallets realized over time. */
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Curve } from './shapes.ts';

const REFRESH_MS = 30_000;
const DAYS = [
  ['7', '7 days'],
  ['1', '1 day'],
  ['30', '30 days'],
] as const;

interface CurvePanelProps {
  /** Of wallets, as parameters of the route. */
  readonly selection: URLSearchParams;
  /** What the curve counts, where that differs from the rest of the page. */
  readonly note?: string | undefined;
}

export function CurvePanel({ selection, note }: CurvePanelProps) {
  const parameters = new URLSearchParams({ ...Object.fromEntries(selection), days: chosen('days', DAYS) });
  const curve = useResource<Curve>(`/v1/me/pnl/curve?${parameters}`, REFRESH_MS, true);
  return (
    <Panel
      title="Realized over time"
      resource={curve}
      isEmpty={(data) => data.curve.length === 0}
      empty="Nothing is known of the fills of these wallets yet."
      actions={
        <div class="filters">
          <Choice name="days" label="Window" options={DAYS} />
        </div>
      }
    >
      {(data) => (
        <>
          {note && <p class="muted">{note}</p>}
          <Chart
            name="pnl"
            caption="Realized since the start of the window, USD"
            kind="steps"
            digits={2}
            data={{
              times: data.curve.map(({ ts }) => Date.parse(ts)),
              series: [
                {
                  label: 'Realized',
                  field: 'cumulativeRealized',
                  values: data.curve.map(({ cumulativeRealized }) => cumulativeRealized),
                },
              ],
            }}
          />
        </>
      )}
    </Panel>
  );
}
