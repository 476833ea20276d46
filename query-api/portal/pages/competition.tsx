import { useMemo } from 'preact/hooks';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Copy } from '../parts/copy.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { hrefTo, place, setQuery } from '../shell/router.ts';
import { session } from '../shell/session.ts';
import { returnColumns, tradingColumns } from './competition/columns.tsx';
import { statsCsv } from './competition/csv.ts';
import { Period } from './competition/period.tsx';
import { PlatformVolumePanel } from './competition/platform-volume.tsx';
import type { Stats, StatsRow } from './competition/shapes.ts';
import { Totals } from './competition/totals.tsx';
import { startOf, WINDOWS } from './competition/windows.ts';
import type { Wallet } from './pnl/shapes.ts';

/** The service returns live values that are at most 15 s old. */
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
const MODE_TEXTS: Readonly<Record<string, string>> = {
  snapshot: 'Values are those of the newest hourly snapshot',
  live: 'Values are those of now',
};

export default function CompetitionPage() {
  const [group, window] = [chosen('group', GROUPS), chosen('window', WINDOWS)];
  const choice = { mode: chosen('mode', MODES), platform: chosen('platform', PLATFORMS) };
  const isByWallet = group === 'wallet';
  const sort = place.value.query.get('sort') ?? SORT;
  // The data set of the sandbox ends at a fixed time: a window before now has nothing of it.
  const isSandbox = session.value?.sandbox ?? false;
  const from = isSandbox ? null : startOf(window, Date.now());
  const parameters = new URLSearchParams({
    groupBy: group,
    ...choice,
    sort,
    ...(from === null ? {} : { from }),
    ...(isByWallet ? { roi: 'true', include: 'pnlCurve' } : {}),
  });
  const stats = useResource<Stats>(`/v1/me/stats?${parameters}`, REFRESH_MS, true);
  const wallets = useResource<{ readonly wallets: readonly Wallet[] }>('/v1/me/wallets', WALLETS_MS);
  const bound = wallets.data.value?.wallets;
  const [trading, returns] = useMemo(() => {
    const labels = new Map(bound?.map(({ id, label }) => [id, label]));
    const labelOf = (id: string) => labels.get(id) ?? '';
    return [tradingColumns(isByWallet, labelOf, choice), returnColumns(labelOf, choice)];
  }, [isByWallet, choice.mode, choice.platform, bound]);
  const shown = stats.data.value;
  const rows = shown?.data ?? [];
  const by = sort.replace('-', '');
  const table = {
    rows,
    idOf: ({ walletId, provider }: StatsRow) => walletId ?? provider,
    sort: {
      by,
      isAscending: !sort.startsWith('-'),
      onSort: (next: string) => setQuery({ sort: next === by && sort.startsWith('-') ? next : `-${next}` }),
    },
  };
  return (
    <Page
      name="competition"
      title="Competition"
      {...framed(stats, ({ data }) => data.length === 0)}
      actions={
        <div class="filters">
          <Choice name="group" label="Rows" options={GROUPS} clears={['sort']} />
          {!isSandbox && <Choice name="window" label="Window" options={WINDOWS} />}
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
      {shown && (
        <>
          <p class="muted">
            {stats.isOther.value ? 'The values of this choice are being read' : MODE_TEXTS[choice.mode]}, the age of
            each stands in its row. Fills are counted <Period window={shown.window} />. Amounts are in USD.
          </p>
          <Totals total={shown.total} rows={rows} />
        </>
      )}
      <Table label="Competition" columns={trading} {...table} />
      {isByWallet && (
        <section class="panel" aria-labelledby="returns">
          <h2 id="returns">Returns in the window</h2>
          <p class="muted">
            Net profit is the value at the end without the value at the start and net deposits. The return divides it by
            the value at the start and net deposits; the weighted ones count when each deposit was made.
          </p>
          <Table label="Returns" columns={returns} {...table} />
        </section>
      )}
      <PlatformVolumePanel from={from} />
    </Page>
  );
}
