import { useResource } from '../live/resource.ts';
import type { PageProps } from '../pages.ts';
import { Id } from '../parts/copy.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { Moment } from '../parts/time.tsx';
import { hrefTo, place } from '../shell/router.ts';
import { CurvePanel } from './pnl/curve.tsx';
import { Rows } from './pnl/rows.tsx';
import type { Pnl, Wallet } from './pnl/shapes.ts';
import { Totals } from './pnl/totals.tsx';
import { familyOf } from './wallet/account-family.ts';
import { Backfill } from './wallet/backfill.tsx';
import { BucketsPanel } from './wallet/buckets.tsx';
import { Curves } from './wallet/curves.tsx';
import { Fills } from './wallet/fills.tsx';
import { NavPanel } from './wallet/nav.tsx';
import { noFillText } from './wallet/no-fill-text.ts';
import { PositionsPanel } from './wallet/positions.tsx';

const REFRESH_MS = 15_000;
const ROWS_MAX = 500;

export default function WalletPage({ params }: PageProps) {
  const id = params.id!;
  const wallets = useResource<{ readonly wallets: readonly Wallet[] }>('/v1/me/wallets', REFRESH_MS);
  const wallet = wallets.data.value?.wallets.find((one) => one.id === id);
  const isMissing = wallets.data.value !== null && wallet === undefined;
  const frame = framed(wallets);
  const selection = new URLSearchParams({ walletId: id });
  return (
    <Page
      name="wallet"
      title={wallet ? wallet.label || wallet.address : 'Wallet'}
      {...frame}
      state={isMissing ? 'missing' : frame.state}
      actions={wallet?.provider === 'venue_b' && <Backfill id={id} />}
    >
      {isMissing && (
        <div class="panel nothing">
          <p>
            No wallet with this id is bound. <a href={hrefTo('/portal/wallets')}>See all wallets</a>.
          </p>
        </div>
      )}
      {wallet && (
        <>
          <p class="muted facts-line">
            <code data-field="provider">{wallet.provider}</code>
            <Id value={wallet.address} />
            <span data-field="createdAt">
              Bound <Moment at={wallet.createdAt} />
            </span>
          </p>
          <div class="panels">
            <NavPanel wallet={wallet} />
            {familyOf(wallet.provider) === 'venue_a' && <BucketsPanel wallet={wallet} />}
          </div>
          <Curves wallet={wallet} family={familyOf(wallet.provider)} />
          <PositionsPanel wallet={wallet} family={familyOf(wallet.provider)} />
          <Results wallet={wallet} selection={selection} />
          <CurvePanel selection={selection} />
          <Fills wallet={wallet} />
        </>
      )}
    </Page>
  );
}

/** What the ledger of a wallet holds and realized, by event. */
function Results({ wallet, selection }: { readonly wallet: Wallet; readonly selection: URLSearchParams }) {
  const sort = place.value.query.get('sort') ?? '-openPosition';
  const parameters = new URLSearchParams({ ...Object.fromEntries(selection), sort, limit: String(ROWS_MAX) });
  const pnl = useResource<Pnl>(`/v1/me/pnl?${parameters}`, REFRESH_MS);
  return (
    <Panel
      title="Profit and loss by event"
      resource={pnl}
      isEmpty={({ data }) => data.length === 0}
      empty={noFillText(wallet.provider)}
    >
      {({ total, data, pagination }) => (
        <>
          <Totals total={total} />
          <Rows group="event" rows={data} wallets={[wallet]} sort={sort} />
          {pagination.hasMore && (
            <p class="muted">
              The first {ROWS_MAX} are shown. <a href={hrefTo(`/portal/pnl?${selection}`)}>See all</a>.
            </p>
          )}
        </>
      )}
    </Panel>
  );
}
