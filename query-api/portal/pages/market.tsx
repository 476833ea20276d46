import { digitsOf } from '../format/number.ts';
import { useResource } from '../live/resource.ts';
import type { PageProps } from '../pages.ts';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { Book, Candles, Trades } from './market/panels.tsx';

const REFRESH_MS = 5_000;
/** The names of the figures that the routes of the three families return. */
const LABELS: Readonly<Record<string, string>> = {
  markPx: 'Mark price',
  markPrice: 'Mark price',
  oraclePx: 'Oracle price',
  oraclePrice: 'Oracle price',
  midPx: 'Middle of the book',
  midPrice: 'Middle of the book',
  prevDayPrice: 'Price 24 hours ago',
  dayChangePct: 'Change of 24 hours, %',
  funding: 'Funding per hour',
  fundingRate: 'Funding per hour',
  openInterest: 'Open interest',
  dayNtlVlm: 'Turnover of 24 hours',
  dayNotionalVolume: 'Turnover of 24 hours',
  dayBaseVlm: 'Volume of 24 hours',
  dayBaseVolume: 'Volume of 24 hours',
};

/** Where REST has a market of the portal's path. */
function routeOf({ coin, pair, dex, symbol }: PageProps['params']): string {
  const parts =
    coin !== undefined
      ? ['coins', coin]
      : pair !== undefined
        ? ['spot', 'pairs', pair]
        : ['perp-dex', dex!, 'contracts', symbol!];
  return `/v1/markets/venue_a/${parts.map(encodeURIComponent).join('/')}`;
}

export default function MarketPage({ params }: PageProps) {
  const path = routeOf(params);
  const snapshot = useResource<Readonly<Record<string, string | number | null>>>(path, REFRESH_MS);
  const figures = snapshot.data.value;
  const name = params.coin ?? params.pair ?? `${params.dex}:${params.symbol}`;
  return (
    <Page name="market" title={name} {...framed(snapshot)}>
      {figures && (
        <>
          <Table
            label="Figures"
            rows={[figures]}
            idOf={() => name}
            columns={Object.keys(LABELS)
              .filter((field) => field in figures)
              .map((field) => ({
                field,
                label: LABELS[field]!,
                isNumber: true,
                render: (row: typeof figures) => {
                  const value = row[field] as number | null;
                  return <Num value={value} digits={digitsOf([value])} reason="the venue states none" />;
                },
              }))}
          />
          <Candles path={path} />
          <div class="panels">
            <Book path={path} />
            <Trades path={path} />
          </div>
        </>
      )}
    </Page>
  );
}
