/** Columns of competition stats. */
import { Id } from '../../parts/copy.tsx';
import { Num } from '../../parts/number.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { hrefTo } from '../../shell/router.ts';
import type { StatsRow } from './shapes.ts';

const NO_VALUE = 'the value of the account is not known now';
const NO_FILLS = 'the fills of the window are not all known yet';
const NO_RETURN = 'no known value anchors the window, or a flow in it is not known';
const NO_BASE = 'nothing was invested at the start of the window';

type UsdField = Exclude<
  { readonly [K in keyof StatsRow]-?: number extends StatsRow[K] ? K : never }[keyof StatsRow],
  'walletCount'
>;

function usd(field: UsdField, label: string, reason: string, options: { sort?: boolean; signed?: boolean } = {}) {
  const { sort = true, signed = false } = options;
  return {
    field,
    label,
    isNumber: true,
    ...(sort ? { sort: field } : {}),
    render: (row: StatsRow) => <Num value={row[field] ?? null} digits={2} signed={signed} reason={reason} />,
  };
}

function rate(field: 'simpleRoiPct' | 'mwrPct' | 'twrPct', label: string): Column<StatsRow> {
  return {
    field,
    label,
    isNumber: true,
    sort: field,
    render: (row) => (
      <Num
        value={row[field] ?? null}
        digits={2}
        percent
        signed
        unit=" %"
        reason={row.startNavUsd === null ? NO_RETURN : NO_BASE}
      />
    ),
  };
}

const UNSORTED = { sort: false };
const SIGNED = { signed: true };

const FIGURES: readonly Column<StatsRow>[] = [
  usd('accountValueUsd', 'Value, USD', NO_VALUE),
  {
    field: 'accountValueAsOf',
    label: 'Value as of',
    isNumber: true,
    render: ({ accountValueAsOf }) => <Ago at={accountValueAsOf} reason={NO_VALUE} />,
  },
  usd('volumeUsd', 'Traded, USD', NO_FILLS),
  usd('realizedPnlUsd', 'Realized, USD', NO_FILLS, SIGNED),
  usd('unrealizedPnlUsd', 'Unrealized, USD', NO_VALUE, SIGNED),
  usd('tradingFeeUsd', 'Trading fee, USD', 'venue_b states none, and builders have none', UNSORTED),
  usd('builderFeeUsd', 'Builder fee, USD', 'venue_b states none', UNSORTED),
  {
    field: 'tradeCount',
    label: 'Fills',
    isNumber: true,
    render: ({ tradeCount }) => <Num value={tradeCount} reason={NO_FILLS} />,
  },
  {
    field: 'fillsThrough',
    label: 'Fills through',
    isNumber: true,
    render: ({ fillsThrough }) => <Ago at={fillsThrough} reason={NO_FILLS} />,
  },
];

const RETURNS: readonly Column<StatsRow>[] = [
  usd('netPnlUsd', 'Net profit, USD', NO_RETURN, SIGNED),
  usd('netDepositsUsd', 'Net deposits, USD', NO_RETURN, { ...UNSORTED, ...SIGNED }),
  rate('simpleRoiPct', 'Return'),
  rate('mwrPct', 'Money-weighted'),
  rate('twrPct', 'Time-weighted'),
  usd('startNavUsd', 'Start, USD', NO_RETURN, UNSORTED),
  usd('endNavUsd', 'End, USD', NO_RETURN, UNSORTED),
  {
    field: 'pnlCurve',
    label: 'Profit',
    render: ({ pnlCurve, address }) => (
      <Sparkline
        caption={`Profit of ${address}`}
        digits={2}
        data={{
          times: (pnlCurve ?? []).map(({ t }) => t * 1_000),
          series: [{ label: 'Profit', values: (pnlCurve ?? []).map(({ pnl }) => pnl) }],
        }}
      />
    ),
  },
];

/** @param labelOf returns the label of a wallet. */
export function statsColumns(isByWallet: boolean, labelOf: (walletId: string) => string): readonly Column<StatsRow>[] {
  if (!isByWallet)
    return [
      { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
      {
        field: 'walletCount',
        label: 'Wallets',
        isNumber: true,
        render: ({ walletCount }) => <Num value={walletCount ?? null} />,
      },
      ...FIGURES,
    ];
  return [
    {
      field: 'label',
      label: 'Wallet',
      isWide: true,
      render: ({ walletId, address }) => (
        <a href={hrefTo(`/portal/wallets/${encodeURIComponent(walletId!)}`)}>{labelOf(walletId!) || address}</a>
      ),
    },
    { field: 'address', label: 'Address', render: ({ address }) => <Id value={address!} /> },
    ...FIGURES,
    ...RETURNS,
  ];
}
