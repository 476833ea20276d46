/** Frame numbers of raw channels whose market is closed, and the state after a snapshot in slices. */
import { expect, it } from 'vitest';
import { packSnapshot, unpackSnapshot } from '#infra/stages/snapshot';
import { INACTIVE_MS } from '../../../shared/channel-seqs.ts';
import { createVenueBStage, type VenueBState } from './stage.ts';
import { type AnyRecord, clock, play, raw } from './venue-b.fixture.ts';

const AT = 1_700_000_000_000;
const at = (weeks: number) => AT + weeks * INACTIVE_MS;
const conditionOf = (name: string) => `0x${name.repeat(64)}`;
const channelOf = (token: string) => `svc:stream:venue_b:${token}`;

const market = (name: string, tokens: readonly string[], closed: boolean, weeks: number): AnyRecord =>
  raw('gamma', at(weeks), [
    {
      id: `9${name}`,
      question: `Will ${name} open?`,
      conditionId: conditionOf(name),
      outcomes: '["Yes", "No"]',
      clobTokenIds: JSON.stringify(tokens),
      active: true,
      closed,
    },
  ]);
const traded = (token: string, weeks: number): AnyRecord =>
  raw('clob_ws', at(weeks), { event_type: 'last_trade_price', asset_id: token, price: '0.5' });
const ticks = (...weeks: number[]) => weeks.map((week) => clock(at(week)));

const RECORDS = [
  ...ticks(0),
  market('a', ['11', '12'], false, 0),
  market('b', ['21', '22'], false, 0),
  ...Array.from({ length: 4 }, () => traded('11', 0)),
  traded('21', 0),
  // The catalog does not list this token.
  traded('31', 0),
  market('a', ['11', '12'], true, 0.5),
  ...ticks(1, 2, 3),
];
const known = ({ channelSeqs: { active, inactive, due } }: VenueBState) =>
  [active, inactive, due].flatMap((channels) => [...channels.keys()]);

it('frame numbers are removed weeks after the market closed, while those of an open market continue after any pause', () => {
  expect(known(play(RECORDS).state)).toEqual([channelOf('21')]);
  const { frames } = play([...RECORDS, traded('21', 3)]);
  expect(frames.at(-1)).toMatchObject({ channel: channelOf('21'), seq: 2 });
});

it('frame numbers are never issued again, and are the same with a restart before every record', () => {
  const records = [...RECORDS, traded('11', 3), traded('11', 3), traded('31', 3), ...ticks(4, 5, 6), traded('11', 6)];
  const { frames } = play(records);
  expect(frames.filter(({ channel }) => channel === channelOf('11')).map(({ seq }) => seq)).toEqual([
    1, 2, 3, 4, 5, 6, 7,
  ]);
  expect(play(records, { restarts: true }).frames).toEqual(frames);
});

it('frame numbers and all other sliced state are restored from a snapshot', async () => {
  const { state } = play([...RECORDS, traded('11', 3), traded('21', 3)]);
  const position = { offsets: new Map(), inputSeqs: new Map(), outputSeqs: new Map(), receivedAt: at(3) };
  const packed = await packSnapshot({ ...position, state }, createVenueBStage({ confirmations: 64 }).slicedMaps);
  expect((await unpackSnapshot<VenueBState>(packed)).state).toEqual(state);
});
