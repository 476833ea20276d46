import { VENUE_CHOICES } from '../format/names.ts';
import { usePaged } from '../live/paged.ts';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Copy } from '../parts/copy.tsx';
import { More } from '../parts/more.tsx';
import { framed, Page } from '../parts/page.tsx';
import { place } from '../shell/router.ts';
import { pnlCsv } from './pnl/csv.ts';
import { CurvePanel } from './pnl/curve.tsx';
import { type Group, Rows } from './pnl/rows.tsx';
import type { Pnl, Wallet } from './pnl/shapes.ts';
import { Totals } from './pnl/totals.tsx';
import { walletChoices } from './pnl/wallet-choices.ts';

const REFRESH_MS = 15_000;
const GROUPS: readonly (readonly [Group, string])[] = [
  ['event', 'Event'],
  ['wallet', 'Wallet'],
  ['provider', 'Venue'],
  ['builder', 'Builder'],
];
const PLATFORMS = [
  ['all', 'All fills'],
  ['mine', 'My builders'],
] as const;

const ALL_FILLS = 'This curve counts all fills, not only those of your builders.';

export default function PnlPage() {
  const { query } = place.value;
  const wallets = useResource<{ readonly wallets: readonly Wallet[] }>('/v1/me/wallets', REFRESH_MS);
  const bound = wallets.data.value?.wallets ?? [];
  const walletOptions = walletChoices(wallets.data.value?.wallets ?? null, query.get('wallet'));
  const [group, provider, platform] = [
    chosen('group', GROUPS),
    chosen('provider', VENUE_CHOICES),
    chosen('platform', PLATFORMS),
  ];
  const walletId = chosen('wallet', walletOptions);
  const sort = query.get('sort') ?? '-realized';
  const selection = new URLSearchParams();
  if (walletId !== 'all') selection.set('walletId', walletId);
  if (provider !== 'all' && group !== 'provider') selection.set('provider', provider);
  const parameters = new URLSearchParams({ ...Object.fromEntries(selection), groupBy: group, sort, platform });
  const pnl = usePaged<Pnl>(`/v1/me/pnl?${parameters}`, REFRESH_MS);
  const rows = pnl.pages.flatMap(({ data }) => data);
  return (
    <Page
      name="pnl"
      title="Profit and loss"
      {...framed(pnl.first, (data) => data.data.length === 0)}
      actions={
        <div class="filters">
          <Choice name="group" label="Rows" options={GROUPS} clears={['sort']} />
          <Choice name="wallet" label="Wallet" options={walletOptions} />
          {group !== 'provider' && <Choice name="provider" label="Venue" options={VENUE_CHOICES} />}
          <Choice name="platform" label="Platform" options={PLATFORMS} />
          <Copy text={pnlCsv(rows)} label="Copy as CSV" />
        </div>
      }
      empty={
        <p>
          What your bound wallets realized and hold is listed here: those of venue_a with their whole history, once it
          is loaded, those of venue_b from their first fill after the binding or from a backfill.{' '}
          <a href="/portal/wallets">Bind a wallet</a> or choose other filters.
        </p>
      }
    >
      {pnl.pages[0] && <Totals total={pnl.pages[0].total} />}
      <CurvePanel selection={selection} note={platform === 'mine' ? ALL_FILLS : undefined} />
      <Rows group={group as Group} rows={rows} wallets={bound} sort={sort} />
      <More paged={pnl} />
    </Page>
  );
}
