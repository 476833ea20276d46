/** What an account was worth, and what it gained, over a window. */
import { useResource } from '../../live/resource.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choice, chosen } from '../../parts/choice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Moment } from '../../parts/time.tsx';
import { WINDOWS } from '../competition/windows.ts';
import type { Wallet } from '../pnl/shapes.ts';
import { type AccountFamily, curveTimes } from './account-family.ts';
import type { NavPoint, Performance, PerformanceWindow, PnlCurve } from './shapes.ts';

/** Venues' series change every few minutes at most. */
const REFRESH_MS = 60_000;

/** Why a series has no points (`GET /v1/portfolio/performance`). */
const REASONS: Readonly<Record<string, string>> = {
  not_followed: 'the account is not followed',
  not_observed: 'the venue has not stated it yet',
  too_old: 'the newest one is more than 70 minutes old',
};

interface CurvesProps {
  readonly wallet: Wallet;
  readonly family: AccountFamily;
}

/** Both curves; one choice of the window is for both. */
export function Curves({ wallet, family }: CurvesProps) {
  const window = chosen('window', WINDOWS);
  return (
    <div class="panels">
      <NavCurvePanel wallet={wallet} family={family} window={window} />
      <PnlCurvePanel wallet={wallet} window={window} />
    </div>
  );
}

const windowChoice = (
  <div class="filters">
    <Choice name="window" label="Window" options={WINDOWS} />
  </div>
);

function NavCurvePanel({ wallet, family, window }: CurvesProps & { readonly window: string }) {
  const query = new URLSearchParams({ user: wallet.address, provider: family, windows: window });
  const read = useResource<Performance>(`/v1/portfolio/performance?${query}`, REFRESH_MS, true);
  return (
    <Panel title="Value over time" resource={read} actions={windowChoice}>
      {({ windows }) => {
        const [name, found] = Object.entries(windows)[0] ?? [];
        const points = found?.series[0]?.points ?? [];
        return (
          <>
            {found && <Quality window={found} />}
            {points.length === 0 ? (
              <p class="muted">
                No value of this window is known. The venue states one every hour while it is followed.
              </p>
            ) : (
              <NavChart key={name} points={points} />
            )}
          </>
        );
      }}
    </Panel>
  );
}

function Quality({ window: { quality, series } }: { readonly window: PerformanceWindow }) {
  const { dataStatus, reason, observedAt } = series[0]!.availability;
  return (
    <p class="facts-line muted">
      <span class={quality === 'authoritative' ? 'tag good' : 'tag bad'} data-field="quality">
        {quality}
      </span>
      <span class="tag" data-field="dataStatus">
        {dataStatus}
      </span>
      <span>
        {reason !== null && (REASONS[reason] ?? reason)}
        {reason !== null && observedAt !== null && ', '}
        {observedAt !== null && (
          <>
            stated <Moment at={observedAt} />
          </>
        )}
      </span>
    </p>
  );
}

function NavChart({ points }: { readonly points: readonly NavPoint[] }) {
  const field = (name: 'navUsdc' | 'netDepositsUsdc', label: string) => ({
    label,
    field: name,
    values: points.map((point) => point[name]),
  });
  return (
    <Chart
      name="nav"
      caption="Value and net deposits, USD"
      kind="line"
      digits={2}
      data={{
        times: curveTimes(points),
        series: [field('navUsdc', 'Value'), field('netDepositsUsdc', 'Net deposits')],
      }}
    />
  );
}

function PnlCurvePanel({ wallet, window }: Pick<CurvesProps, 'wallet'> & { readonly window: string }) {
  const path = `/v1/me/wallets/${encodeURIComponent(wallet.id)}/pnl-curve?window=${window}`;
  const read = useResource<PnlCurve>(path, REFRESH_MS, true);
  return (
    <Panel
      title="Profit over time"
      resource={read}
      actions={windowChoice}
      isEmpty={({ points }) => points.length === 0}
      empty="The venue does not know this account yet: it has no profit or loss to show."
    >
      {({ points, source, asOf }) => (
        <>
          <p class="facts-line muted">
            <code data-field="source">{source}</code>
            <span data-field="asOf">
              stated <Moment at={asOf} />
            </span>
          </p>
          <Chart
            name="pnl"
            caption="Profit since the start of the window, USD"
            kind="line"
            digits={2}
            data={{
              times: curveTimes(points),
              series: [{ label: 'Profit', field: 'pnl', values: points.map(({ pnl }) => pnl) }],
            }}
          />
        </>
      )}
    </Panel>
  );
}
