import { Moment } from '../../parts/time.tsx';
import type { Stats } from './shapes.ts';

/** The period that figures are of, in words. */
export function Period({ window: { from, to } }: Pick<Stats, 'window'>) {
  return (
    <>
      {from === null ? (
        'of all time'
      ) : (
        <>
          from <Moment at={from} />
        </>
      )}{' '}
      until <Moment at={to} />
    </>
  );
}
