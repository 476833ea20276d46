/** Columns that rows of profit and loss share. */
import { digitsOf, digitsOfComputed } from '../../format/number.ts';
import { Id } from '../../parts/copy.tsx';
import { Num } from '../../parts/number.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Coverage } from './shapes.ts';

const UNKNOWN = 'nothing is known of the fills yet';

/** Marks a row of which something is or may be left out. */
export function CoverageMark({ coverage }: { readonly coverage: Coverage }) {
  return coverage === 'complete' ? (
    <span class="tag good">complete</span>
  ) : (
    <span class="tag" title="Something is or may be left out, as until the venue has confirmed the position.">
      partial
    </span>
  );
}

/** An amount of USD with cents; what is unknown says why. */
export function usdColumn<Field extends string>(
  field: Field,
  label: string,
  options: { readonly signed?: boolean; readonly sort?: string; readonly reason?: string } = {},
): Column<{ readonly [K in Field]?: number | null }> {
  const { signed = false, sort, reason = UNKNOWN } = options;
  return {
    field,
    label,
    isNumber: true,
    ...(sort === undefined ? {} : { sort }),
    render: (row) => <Num value={row[field] ?? null} digits={2} signed={signed} reason={reason} />,
  };
}

/** Realized and unrealized profit and loss, which lists can be sorted by. */
export const RESULTS = [
  usdColumn('realized', 'Realized, USD', { signed: true, sort: 'realized' }),
  usdColumn('unrealized', 'Unrealized, USD', {
    signed: true,
    sort: 'unrealized',
    reason: 'no open position, or none with a known cost and a mark',
  }),
];

export const TRADES: Column<{ readonly tradeCount: number | null }> = {
  field: 'tradeCount',
  label: 'Fills',
  isNumber: true,
  sort: 'tradeCount',
  render: ({ tradeCount }) => <Num value={tradeCount} reason={UNKNOWN} />,
};
export const FEES = usdColumn('fees', 'Fees, USD', { reason: 'the fee of a fill is unknown' });

/** Quantities and prices of a position. */
export function positionColumns<
  Row extends {
    readonly openPosition: number | null;
    readonly avgCost?: number | null;
    readonly currentPrice?: number | null;
  },
>(rows: readonly Row[]): Column<Row>[] {
  const qtyDigits = digitsOf(rows.map(({ openPosition }) => openPosition));
  const digits = digitsOfComputed(
    rows.flatMap(({ avgCost, currentPrice }) => [avgCost ?? null, currentPrice ?? null]),
    4,
  );
  return [
    {
      field: 'openPosition',
      label: 'Position',
      isNumber: true,
      sort: 'openPosition',
      render: ({ openPosition }) => <Num value={openPosition} digits={qtyDigits} />,
    },
    {
      field: 'avgCost',
      label: 'Average cost',
      isNumber: true,
      render: ({ avgCost }) => (
        <Num
          value={avgCost ?? null}
          digits={digits}
          reason="no open lots, lots of both signs, or one of unknown cost"
        />
      ),
    },
    {
      field: 'currentPrice',
      label: 'Mark',
      isNumber: true,
      render: ({ currentPrice }) => (
        <Num value={currentPrice ?? null} digits={digits} reason="no open lots, lots of both signs, or no mark" />
      ),
    },
  ];
}

/** The market of a leg; null until the catalog knows it. */
export const marketOf = ({
  marketId,
  tokenId,
}: {
  readonly marketId: string | null;
  readonly tokenId: string | null;
}) => <Id value={marketId ?? tokenId ?? '–'} />;
