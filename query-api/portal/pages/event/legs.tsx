import { wordsOf } from '../../format/names.ts';
import { digitsOf } from '../../format/number.ts';
import { useLive } from '../../live/live-resource.ts';
import { useNewest } from '../../live/newest.ts';
import { useResource } from '../../live/resource.ts';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { EVERY_MS } from './intervals.ts';
import { newestSeq, spreadChannel, withSpreads } from './live.ts';
import { apiPath, type Leg, type Spread } from './shapes.ts';

/** Why a leg has no price. */
function reasonFor({ state }: Leg): string {
  if (state === null) return 'no book of this market was received';
  return state === 'live' ? 'this side of the book is empty' : `the market is ${wordsOf(state).toLowerCase()}`;
}

const isStale = ({ state }: Leg) => state !== 'live';

function columns(digits: number): Column<Leg>[] {
  const price = (field: 'yesBid' | 'yesAsk' | 'yesMid', label: string): Column<Leg> => ({
    field,
    label,
    isNumber: true,
    isStale,
    render: (leg) => <Num value={leg[field]} digits={digits} reason={reasonFor(leg)} />,
  });
  return [
    { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
    price('yesBid', 'Bid'),
    price('yesAsk', 'Ask'),
    price('yesMid', 'Mid'),
    {
      field: 'state',
      label: 'State',
      render: ({ state }) => <span class={state === 'live' ? 'tag good' : 'tag'}>{state ?? 'no book'}</span>,
    },
    { field: 'asOf', label: 'Quoted', isNumber: true, render: ({ asOf }) => <Ago at={asOf} reason="no quote yet" /> },
  ];
}

/** The prices of YES on each venue, live. */
export function Legs({ id }: { readonly id: string }) {
  const channel = spreadChannel(id);
  const newest = useNewest([channel]);
  const spread = useLive(useResource<Spread>(apiPath(id, 'spread'), EVERY_MS.spread), newest, withSpreads, true);
  return (
    <Panel
      title="Prices of YES"
      resource={spread}
      isEmpty={({ legs }) => legs.length === 0}
      empty="No market of this event is linked, so that there is no price."
    >
      {({ legs, spread: distance }) => (
        <>
          <Table
            label="Prices of YES"
            rows={legs}
            idOf={({ provider, marketId }) => `${provider}.${marketId}`}
            seqOf={() => newestSeq(newest.events.value, channel)}
            columns={columns(
              Math.max(
                3,
                digitsOf(
                  legs.flatMap((leg) => [leg.yesBid, leg.yesAsk]),
                  6,
                ),
              ),
            )}
          />
          <p>
            Largest distance of live mids:{' '}
            <strong data-field="spread">
              <Num value={distance} digits={4} reason="fewer than two legs are live" />
            </strong>
          </p>
        </>
      )}
    </Panel>
  );
}
