/** The daily row of a market: its figures of one UTC day. */
import { digitsOf } from '../../format/number.ts';
import { useResource } from '../../live/resource.ts';
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Day } from '../../parts/time.tsx';
import { place, setQuery } from '../../shell/router.ts';
import { EVERY_MS } from './intervals.ts';

interface DailyRow {
  readonly tradeDate: string;
  readonly symbol: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number | null;
  readonly amount: number | null;
  readonly marketCap: number | null;
  readonly source: string;
  readonly complete: boolean;
}

interface DailyProps {
  /** How daily rows name the market. */
  readonly symbol: string;
  readonly marketType: 'perp' | 'spot';
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SOURCES: Readonly<Record<string, string>> = {
  candle_agg_5m: '5-minute bars',
  ctx_sample: 'hourly samples of the mark price',
};

/** The day of the address; else the newest one that has ended. */
function chosenDay(): string {
  const day = place.value.query.get('day') ?? '';
  return DAY.test(day) && !Number.isNaN(Date.parse(day)) ? day : lastDay();
}

const lastDay = (): string => new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

export function Daily({ symbol, marketType }: DailyProps) {
  const day = chosenDay();
  const read = useResource<{ readonly snapshots: readonly DailyRow[] }>(
    `/v1/markets/venue_a/daily?date=${day}&market=${marketType}`,
    EVERY_MS.daily,
  );
  const rowOf = (snapshots: readonly DailyRow[]) => snapshots.find((row) => row.symbol === symbol);
  return (
    <Panel
      title="Daily row"
      resource={read}
      isEmpty={({ snapshots }) => rowOf(snapshots) === undefined}
      empty={`${symbol} has no row for ${day}. A row appears after the end of a day (UTC) of which bars are known; choose another day to see an earlier one.`}
      actions={
        <div class="filters">
          <label>
            Day (UTC)
            <input
              type="date"
              name="day"
              data-action="day"
              max={lastDay()}
              value={day}
              onChange={(event) => setQuery({ day: event.currentTarget.value })}
            />
          </label>
        </div>
      }
    >
      {({ snapshots }) => <Row row={rowOf(snapshots)!} />}
    </Panel>
  );
}

function Row({ row }: { readonly row: DailyRow }) {
  const digits = digitsOf([row.open, row.high, row.low, row.close]);
  const figure = (field: 'open' | 'high' | 'low' | 'close' | 'volume' | 'amount' | 'marketCap', label: string) => {
    const value = row[field];
    const isPrice = field === 'open' || field === 'high' || field === 'low' || field === 'close';
    return (
      <Fact label={label} field={field}>
        <Num value={value} digits={isPrice ? digits : digitsOf([value])} reason="not known for this day" />
      </Fact>
    );
  };
  return (
    <dl class="facts" data-id={row.symbol}>
      <Fact label="Day" field="tradeDate">
        <Day day={row.tradeDate} />
      </Fact>
      {figure('open', 'Open')}
      {figure('high', 'High')}
      {figure('low', 'Low')}
      {figure('close', 'Close')}
      {figure('volume', 'Volume')}
      {figure('amount', 'Turnover')}
      {figure('marketCap', 'Market capitalisation')}
      <Fact label="Made from" field="source">
        {SOURCES[row.source] ?? row.source}
      </Fact>
      <Fact label="Trades" field="complete">
        <span class={row.complete ? 'tag good' : 'tag bad'}>{row.complete ? 'complete' : 'some may be missing'}</span>
      </Fact>
    </dl>
  );
}
