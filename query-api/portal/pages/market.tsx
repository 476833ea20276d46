import { spotCoinOf } from '#schemas/venues/venue-a/spot-coin';
import { staleAt, useResource } from '../live/resource.ts';
import type { PageProps } from '../pages.ts';
import { framed, Page } from '../parts/page.tsx';
import { hrefTo } from '../shell/router.ts';
import { Book } from './market/book.tsx';
import { Daily } from './market/daily.tsx';
import { Figures, type Snapshot } from './market/figures.tsx';
import { History } from './market/history.tsx';
import { EVERY_MS } from './market/intervals.ts';
import { Trades } from './market/trades.tsx';

interface Market {
  /** Names of the kind of market, of its list, and of that list's tab. */
  readonly kind: string;
  readonly list: string;
  readonly tab: string;
  readonly name: string;
  /** The path of its REST routes. */
  readonly path: string;
  readonly marketType: 'perp' | 'spot';
  /** The venue's coin, after which channels are named; null where the list of pairs states it. */
  readonly coin: string | null;
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
      coin,
    };
  if (pair !== undefined)
    return {
      kind: 'Spot pair',
      list: 'All spot pairs',
      tab: 'spot',
      name: pair,
      path: `${PAIRS}/${encodeURIComponent(pair)}`,
      marketType: 'spot',
      coin: null,
    };
  return {
    kind: `Contract of the dex ${dex}`,
    list: `All contracts of ${dex}`,
    tab: `dex&dex=${encodeURIComponent(dex!)}`,
    name: `${dex}:${symbol}`,
    path: pathOf('perp-dex', dex!, 'contracts', symbol!),
    marketType: 'perp',
    coin: `${dex}:${symbol}`,
  };
}

const PAIRS = '/v1/markets/venue_a/spot/pairs';

/** The venue's coin of a market; null while it is not known. */
function useCoin({ coin, name }: Market): string | null {
  const list = useResource<PairList>(coin === null ? PAIRS : null, EVERY_MS.pairs);
  const pair = list.data.value?.pairs.find(({ pair }) => pair === name);
  return coin ?? (pair ? spotCoinOf(pair) : null);
}

interface PairList {
  readonly pairs: readonly { readonly pair: string; readonly name: string; readonly index: number }[];
}

export default function MarketPage({ params }: PageProps) {
  const market = marketOf(params);
  const { kind, list, tab, name, path, marketType } = market;
  const coin = useCoin(market);
  const snapshot = useResource<Snapshot>(path, EVERY_MS.figures);
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
            <Book key={path} path={path} coin={coin} />
            <div class="stack">
              <Trades key={path} path={path} coin={coin} />
              <Daily symbol={name} marketType={marketType} />
            </div>
          </div>
        </>
      )}
    </Page>
  );
}
