import { useMemo } from 'preact/hooks';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Copy } from '../parts/copy.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { hrefTo, place, setQuery } from '../shell/router.ts';
import { statsColumns } from './competition/columns.tsx';
import { statsCsv } from './competition/csv.ts';
import { PlatformVolumePanel } from './competition/platform-volume.tsx';
import type { Stats } from './competition/shapes.ts';
import { Totals } from './competition/totals.tsx';
import { startOf, WINDOWS } from './competition/window.ts';
import type { Wallet } from './pnl/shapes.ts';

/** The service refreshes snapshots every hour, live values every 15 s. */
const REFRESH_MS = 20_000;
const WALLETS_MS = 60_000;
const GROUPS = [
  ['wallet', 'Wallet'],
  ['provider', 'Venue'],
] as const;
const MODES = [
  ['snapshot', 'Hourly snapshot'],
  ['live', 'Live'],
] as const;
const PLATFORMS = [
  ['all', 'All fills'],
  ['mine', 'My builders'],
] as const;
const SORT = '-realizedPnlUsd';

export default function CompetitionPage() {
  const [group, window] = [chosen('group', GROUPS), chosen('window', WINDOWS)];
  const isByWallet = group === 'wallet';
  const sort = place.value.query.get('sort') ?? SORT;
  // The same start for as long as the window is shown, so that rows do not change by reading them again.
  const from = useMemo(() => startOf(window, Date.now()), [window]);
  const parameters = new URLSearchParams({
    groupBy: group,
    mode: chosen('mode', MODES),
    platform: chosen('platform', PLATFORMS),
    sort,
    ...(from === null ? {} : { from }),
    ...(isByWallet ? { roi: 'true', include: 'pnlCurve' } : {}),
  });
  const stats = useResource<Stats>(`/v1/me/stats?${parameters}`, REFRESH_MS, true);
  const wallets = useResource<{ readonly wallets: readonly Wallet[] }>('/v1/me/wallets', WALLETS_MS);
  const attributions = useResource<{ readonly attributions: readonly unknown[] }>('/v1/me/platform-attributions');
  const bound = wallets.data.value?.wallets;
  const columns = useMemo(() => {
    const labels = new Map(bound?.map(({ id, label }) => [id, label]));
    return statsColumns(isByWallet, (id) => labels.get(id) ?? '');
  }, [isByWallet, bound]);
  const rows = stats.data.value?.data ?? [];
  const by = sort.replace('-', '');
  return (
    <Page
      name="competition"
      title="Competition"
      {...framed(stats, ({ data }) => data.length === 0)}
      actions={
        <div class="filters">
          <Choice name="group" label="Rows" options={GROUPS} clears={['sort']} />
          <Choice name="window" label="Window" options={WINDOWS} />
          <Choice name="mode" label="Values" options={MODES} />
          <Choice name="platform" label="Platform" options={PLATFORMS} />
          <Copy text={() => statsCsv(rows)} label="Copy as CSV" />
        </div>
      }
      empty={
        <p>
          What your bound wallets are worth, traded and returned is compared here.{' '}
          <a href={hrefTo('/portal/wallets')}>Bind a wallet</a> to see its row.
        </p>
      }
    >
      {stats.data.value && <Totals total={stats.data.value.total} />}
      <Table
        label="Competition"
        rows={rows}
        idOf={({ walletId, provider }) => walletId ?? provider ?? ''}
        columns={columns}
        sort={{
          by,
          isAscending: !sort.startsWith('-'),
          onSort: (next) => setQuery({ sort: next === by && sort.startsWith('-') ? next : `-${next}` }),
        }}
      />
      {attributions.data.value?.attributions.length === 0 ? (
        <p class="muted">The volume of your platform is shown here as soon as a builder is registered.</p>
      ) : (
        attributions.data.value && <PlatformVolumePanel from={from} />
      )}
    </Page>
  );
}
