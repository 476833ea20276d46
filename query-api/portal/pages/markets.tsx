import type { ComponentChildren } from 'preact';
import { useResource } from '../live/resource.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { hrefTo, place, setQuery } from '../shell/router.ts';

interface Coin {
  readonly name: string;
  readonly sizeDecimals: number;
  readonly maxLeverage: number | null;
}
interface Pair {
  readonly name: string;
  readonly pair: string;
  readonly baseToken: string;
  readonly quoteToken: string;
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  readonly index: number;
}
interface Contract {
  readonly symbol: string;
  readonly upstreamCoin: string;
  readonly decimals: number;
  readonly maxLeverage: number | null;
}
interface Dex {
  readonly name: string;
  readonly fullName: string | null;
}

/** A kind of market: where its list is read, and what its rows show. */
interface Kind<Row> {
  /** What its markets are called; the field of the response that has the rows. */
  readonly plural: string;
  readonly nameOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** The list changes when the venue lists a market; the service returns the same list for a minute. */
const REFRESH_MS = 60_000;
const TABS = [
  ['perp', 'Perpetuals'],
  ['spot', 'Spot pairs'],
  ['dex', "Builders' dexes"],
] as const;

const leverage = ({ maxLeverage }: Coin | Contract) => (
  <Num value={maxLeverage} unit="×" reason="the venue states none" />
);

/** A name that opens the page of its market. */
const marketLink = (text: string, ...path: readonly string[]) => (
  <a href={hrefTo(`/portal/markets/${path.map(encodeURIComponent).join('/')}`)} data-action="open">
    {text}
  </a>
);

const COINS: Kind<Coin> = {
  plural: 'coins',
  nameOf: ({ name }) => name,
  columns: [
    { field: 'name', label: 'Coin', render: ({ name }) => marketLink(name, 'perp', name) },
    { field: 'maxLeverage', label: 'Largest leverage', isNumber: true, render: leverage },
    {
      field: 'sizeDecimals',
      label: 'Decimals of sizes',
      isNumber: true,
      render: (row) => <Num value={row.sizeDecimals} />,
    },
  ],
};
const PAIRS: Kind<Pair> = {
  plural: 'pairs',
  nameOf: ({ name }) => name,
  columns: [
    { field: 'name', label: 'Pair', render: ({ name, pair }) => marketLink(name, 'spot', pair) },
    { field: 'pair', label: 'Name in paths', render: ({ pair }) => pair },
    { field: 'baseToken', label: 'Traded token', render: ({ baseToken }) => baseToken },
    { field: 'quoteToken', label: 'Token of prices', render: ({ quoteToken }) => quoteToken },
    {
      field: 'baseDecimals',
      label: 'Decimals of sizes',
      isNumber: true,
      render: (row) => <Num value={row.baseDecimals} />,
    },
    {
      field: 'quoteDecimals',
      label: 'Decimals of the token of prices',
      isNumber: true,
      render: (row) => <Num value={row.quoteDecimals} />,
    },
    { field: 'index', label: 'Index', isNumber: true, render: ({ index }) => <Num value={index} /> },
  ],
};
const CONTRACTS: Kind<Contract> = {
  plural: 'contracts',
  nameOf: ({ upstreamCoin }) => upstreamCoin,
  columns: [
    {
      field: 'symbol',
      label: 'Contract',
      render: ({ symbol, upstreamCoin }) => marketLink(symbol, 'dex', ...upstreamCoin.split(':')),
    },
    { field: 'upstreamCoin', label: 'Coin at the venue', render: ({ upstreamCoin }) => upstreamCoin },
    { field: 'maxLeverage', label: 'Largest leverage', isNumber: true, render: leverage },
    { field: 'decimals', label: 'Decimals of sizes', isNumber: true, render: (row) => <Num value={row.decimals} /> },
  ],
};

function Filters({ children }: { readonly children?: ComponentChildren }) {
  const tab = chosen('tab', TABS);
  return (
    <div class="filters">
      <nav class="tabs" aria-label="Kinds of markets">
        {TABS.map(([name, text]) => (
          <a
            key={name}
            href={hrefTo(name === TABS[0][0] ? '/portal/markets' : `/portal/markets?tab=${name}`)}
            aria-current={name === tab ? 'page' : undefined}
            data-action={`tab-${name}`}
          >
            {text}
          </a>
        ))}
      </nav>
      {children}
      <label>
        Name
        <input
          type="search"
          name="q"
          data-action="q"
          placeholder="part of a name"
          value={place.value.query.get('q') ?? ''}
          autocomplete="off"
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}

interface MarketListProps<Row> {
  readonly kind: Kind<Row>;
  readonly path: string;
  readonly filters?: ComponentChildren;
}

function MarketList<Row>({ kind, path, filters }: MarketListProps<Row>) {
  const { plural, nameOf, columns } = kind;
  const list = useResource<Record<string, readonly Row[]>>(path, REFRESH_MS);
  const wanted = (place.value.query.get('q') ?? '').trim().toLowerCase();
  const rows = list.data.value?.[plural] ?? [];
  const shown = rows.filter((row) => nameOf(row).toLowerCase().includes(wanted));
  return (
    <Page
      name="markets"
      title="Markets"
      {...framed(list, () => shown.length === 0)}
      actions={<Filters>{filters}</Filters>}
      empty={
        <p>
          {rows.length === 0
            ? `The ${plural} are listed here once the venue's catalog has arrived, usually within a minute.`
            : `None of ${rows.length} ${plural} has such a name. Empty the field to see all.`}
        </p>
      }
    >
      <p class="muted">
        {shown.length.toLocaleString('en-US')} of {rows.length.toLocaleString('en-US')} {plural}, in the venue's order
      </p>
      <Table label={`Markets: ${plural}`} rows={shown} idOf={nameOf} columns={columns} />
    </Page>
  );
}

/** The contracts of one dex: the chosen one, or else the first one of the venue. */
function Contracts() {
  const dexes = useResource<{ readonly dexes: readonly Dex[] }>('/v1/markets/venue_a/perp-dex', REFRESH_MS);
  const options = (dexes.data.value?.dexes ?? []).map(({ name, fullName }) => [name, fullName ?? name] as const);
  if (options.length === 0)
    return (
      <Page
        name="markets"
        title="Markets"
        {...framed(dexes, () => true)}
        actions={<Filters />}
        empty={<p>The dexes of builders are listed here once the venue has stated them, usually within a minute.</p>}
      />
    );
  const dex = chosen('dex', options);
  return (
    <MarketList
      key={dex}
      kind={CONTRACTS}
      path={`/v1/markets/venue_a/perp-dex/${encodeURIComponent(dex)}/contracts`}
      filters={<Choice name="dex" label="Dex" options={options} />}
    />
  );
}

export default function MarketsPage() {
  const tab = chosen('tab', TABS);
  if (tab === 'dex') return <Contracts />;
  return tab === 'spot' ? (
    <MarketList key="spot" kind={PAIRS} path="/v1/markets/venue_a/spot/pairs" />
  ) : (
    <MarketList key="perp" kind={COINS} path="/v1/markets/venue_a/coins" />
  );
}
