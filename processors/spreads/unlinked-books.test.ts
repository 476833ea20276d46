import { describe, expect, it } from 'vitest';
import { eventTopic } from '#schemas/topics/derived';
import { driveSpreads, event, link, type SpreadsDriver } from './spreads.fixture.ts';
import { UNLINKED_MAX } from './state.ts';

describe('books that no event uses', () => {
  const ladder = [[['0.4', '1']], [['0.6', '1']]] as const;
  /** Creates a driver with a book of venue_b, the oldest one. */
  const withBook = () => {
    const all = driveSpreads();
    all.book('b-yes', 1000, ...ladder);
    all.status('b-yes', 1000);
    return all;
  };
  const fill = (all: SpreadsDriver, count: number) => {
    for (let at = 0; at < count; at += 1) all.book(`x${at}`, 1000, [], []);
  };
  const legB = (all: SpreadsDriver) => all.link(event()).heads[0]!.legs[1];

  it('stores up to the maximum, also across a restart', () => {
    const all = withBook();
    fill(all, UNLINKED_MAX - 1);
    all.probe.restart();
    expect(legB(all)).toMatchObject({ yesMid: '0.5' });
  });

  it('drops the least recently updated one', () => {
    const all = withBook();
    fill(all, UNLINKED_MAX);
    expect(legB(all)).toMatchObject({ yesMid: null });
  });

  it.each([
    ['a change of its book', (all: SpreadsDriver) => all.book('b-yes', 1500, [['0.4', '2']], [], false)],
    ['a change of its status', (all: SpreadsDriver) => all.status('b-yes', 1500)],
  ])('does not drop the oldest one while it is in use by %s', (_, use) => {
    const all = withBook();
    fill(all, UNLINKED_MAX - 1);
    use(all);
    all.probe.restart();
    for (const name of ['y0', 'y1', 'y2']) all.book(name, 2000, [], []);
    expect(legB(all)).toMatchObject({ yesMid: '0.5' });
  });

  it('does not use a change as a snapshot of a dropped book', () => {
    const all = withBook();
    fill(all, UNLINKED_MAX);
    all.book('b-yes', 2000, [['0.3', '1']], [['0.7', '1']], false);
    expect(legB(all)).toMatchObject({ yesMid: null });
    all.status('b-yes', 2500);
    expect(all.book('b-yes', 3000, ...ladder).heads[0]!.legs[1]).toMatchObject({ yesMid: '0.5' });
  });

  it('does not count books that ended', () => {
    const all = withBook();
    // One ends without an event, the other while an event uses it.
    fill(all, UNLINKED_MAX - 1);
    for (let at = 0; at < UNLINKED_MAX - 1; at += 1) all.end(`x${at}`, 1500);
    all.link(event({ universalId: 'evt_2', links: [link('venue_b', { yesInstrument: 'z', noInstrument: null })] }));
    all.book('z', 1600, ...ladder);
    all.end('z', 1700);
    all.probe.remove(eventTopic, 'evt_2', 1800);
    fill(all, UNLINKED_MAX - 1);
    expect(legB(all)).toMatchObject({ yesMid: '0.5' });
  });
});
