/** Columns of competition stats. */
import { Copy, Id } from '../../parts/copy.tsx';
import { Num } from '../../parts/number.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { curveTimes } from '../wallet/account-family.ts';
import { WalletLink } from '../wallet/wallet-link.tsx';
import { lacksFills, reasonOf, type StatsChoice } from './reasons.ts';
import type { ReturnFigures, StatsFigures, StatsRow } from './shapes.ts';

type NumberField = keyof StatsFigures | keyof ReturnFigures | 'tradeCount';

/** Figures that rows can be sorted by. */
const SORTS: ReadonlySet<NumberField> = new Set<NumberField>([
  'accountValueUsd',
  'volumeUsd',
  'realizedPnlUsd',
  'unrealizedPnlUsd',
  'netPnlUsd',
  'simpleRoiPct',
  'mwrPct',
  'twrPct',
]);
const USD = { digits: 2 };
const SIGNED = { digits: 2, signed: true };
const RATE = { digits: 2, signed: true, percent: true, unit: ' %' };

/** @param labelOf returns the label of a wallet. */
function walletColumn(labelOf: (walletId: string) => string): Column<StatsRow> {
  return {
    field: 'address',
    label: 'Wallet',
    isWide: true,
    render: ({ walletId, address }) => {
      const label = labelOf(walletId!);
      return (
        <>
          <WalletLink id={walletId!} label={label} address={address!} />{' '}
          {label === '' ? (
            <Copy text={address!} />
          ) : (
            <small>
              <Id value={address!} />
            </small>
          )}
        </>
      );
    },
  };
}

const VENUE: Column<StatsRow> = {
  field: 'provider',
  label: 'Venue',
  render: ({ provider }) => <code>{provider}</code>,
};
const WALLETS: Column<StatsRow> = {
  field: 'walletCount',
  label: 'Wallets',
  isNumber: true,
  render: ({ walletCount }) => <Num value={walletCount ?? null} />,
};

function figuresFor(choice: StatsChoice) {
  return {
    number: (field: NumberField, label: string, format: Partial<Parameters<typeof Num>[0]>): Column<StatsRow> => ({
      field,
      label,
      isNumber: true,
      ...(SORTS.has(field) ? { sort: field } : {}),
      render: (row) => <Num value={row[field] ?? null} {...format} reason={reasonOf(field, row, choice)} />,
    }),
    age: (field: 'accountValueAsOf' | 'fillsThrough', label: string): Column<StatsRow> => ({
      field,
      label,
      isNumber: true,
      render: (row) =>
        field === 'fillsThrough' && lacksFills(row) ? (
          <span class="tag" title="The fills of a wallet are not loaded yet: the sums leave them out.">
            some missing
          </span>
        ) : (
          <Ago at={row[field]} reason={reasonOf(field, row, choice)} />
        ),
    }),
  };
}

/** What the accounts are worth, and what their fills in the window sum up to. */
export function tradingColumns(
  isByWallet: boolean,
  labelOf: (walletId: string) => string,
  choice: StatsChoice,
): readonly Column<StatsRow>[] {
  const { number, age } = figuresFor(choice);
  return [
    ...(isByWallet ? [walletColumn(labelOf), VENUE] : [VENUE, WALLETS]),
    number('accountValueUsd', 'Value', USD),
    age('accountValueAsOf', 'Value as of'),
    number('unrealizedPnlUsd', 'Unrealized', SIGNED),
    number('realizedPnlUsd', 'Realized', SIGNED),
    number('volumeUsd', 'Traded', USD),
    number('tradingFeeUsd', 'Trading fee', USD),
    number('builderFeeUsd', 'Builder fee', USD),
    number('tradeCount', 'Fills', {}),
    age('fillsThrough', 'Fills up to'),
  ];
}

/** What wallets earned in the window, and how that compares with what was invested. */
export function returnColumns(labelOf: (walletId: string) => string, choice: StatsChoice): readonly Column<StatsRow>[] {
  const { number } = figuresFor(choice);
  return [
    walletColumn(labelOf),
    VENUE,
    number('netPnlUsd', 'Net profit', SIGNED),
    number('simpleRoiPct', 'Return', RATE),
    number('mwrPct', 'Money-weighted', RATE),
    number('twrPct', 'Time-weighted', RATE),
    number('startNavUsd', 'Value at start', USD),
    number('netDepositsUsd', 'Net deposits', SIGNED),
    number('endNavUsd', 'Value at end', USD),
    {
      field: 'pnlCurve',
      label: 'Profit over time',
      render: (row) => (
        <Sparkline
          caption={`Profit of ${labelOf(row.walletId!) || row.address}`}
          digits={2}
          reason={reasonOf('pnlCurve', row, choice)}
          data={{
            times: curveTimes(row.pnlCurve ?? []),
            series: [{ label: 'Profit', field: 'pnl', values: (row.pnlCurve ?? []).map(({ pnl }) => pnl) }],
          }}
        />
      ),
    },
  ];
}
