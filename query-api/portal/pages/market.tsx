import { staleAt, useResource } from '../live/resource.ts';
import type { PageProps } from '../pages.ts';
import { framed, Page } from '../parts/page.tsx';
import { hrefTo } from '../shell/router.ts';
import { Book } from './market/book.tsx';
import { Daily } from './market/daily.tsx';
import { Figures, type Snapshot } from './market/figures.tsx';
import { History } from './market/history.tsx';
import { Trades } from './market/trades.tsx';

const REFRESH_MS = 10_000;

interface Market {
  /** Names of the kind of market, of its list, and of that list's tab. */
  readonly kind: string;
  readonly list: string;
  readonly tab: string;
  readonly name: string;
  /** The path of its REST routes. */
  readonly path: string;
  readonly marketType: 'perp' | 'spot';
}

/** The market of a path of the portal. */
function marketOf({ coin, pair, dex, symbol }: PageProps['params']): Market {
  const pathOf = (...parts: readonly string[]) => `/v1/markets/venue_a/${parts.map(encodeURIComponent).join('/')}`;
  if (coin !== undefined)
    return {
      kind: 'Perpetual',
      list: 'All perpetuals',
      tab: 'perp',
      name: coin,
      path: pathOf('coins', coin),
      marketType: 'perp',
    };
  if (pair !== undefined)
    return {
      kind: 'Spot pair',
      list: 'All spot pairs',
      tab: 'spot',
      name: pair,
      path: pathOf('spot', 'pairs', pair),
      marketType: 'spot',
    };
  return {
    kind: `Contract of the dex ${dex}`,
    list: `All contracts of ${dex}`,
    tab: `dex&dex=${encodeURIComponent(dex!)}`,
    name: `${dex}:${symbol}`,
    path: pathOf('perp-dex', dex!, 'contracts', symbol!),
    marketType: 'perp',
  };
}

export default function MarketPage({ params }: PageProps) {
  const { kind, list, tab, name, path, marketType } = marketOf(params);
  const snapshot = useResource<Snapshot>(path, REFRESH_MS);
  const figures = snapshot.data.value;
  return (
    <Page
      name="market"
      title={name}
      {...framed(snapshot)}
      actions={
        <p class="muted">
          {kind} on venue_a · <a href={hrefTo(`/portal/markets?tab=${tab}`)}>{list}</a>
        </p>
      }
    >
      {figures && (
        <>
          <Figures figures={figures} isOld={staleAt(snapshot) !== null} />
          <History path={path} />
          <div class="panels">
            <Book path={path} />
            <div class="stack">
              <Trades path={path} />
              <Daily symbol={name} marketType={marketType} />
            </div>
          </div>
        </>
      )}
    </Page>
  );
}
