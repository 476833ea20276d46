import { expect, it } from 'vitest';
import { venueBAcquisitionTopic } from '#schemas/topics/accounts';
import { changeTopic } from '#schemas/topics/control';
import { navSnapshotTopic, snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import { change, OPERATOR, SEED } from '../organizations/organizations.fixture.ts';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createAccountsStage } from './stage.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const ADDRESS = `0x${'b'.repeat(40)}`;
const ACCOUNT = `venue_b:${ADDRESS}`;

function setUp() {
  const stage = driveStage(createAccountsStage());
  let commands = 0;
  const command = (type: string, body: object, receivedAt: number, as: typeof OPERATOR | null = OPERATOR) => {
    commands += 1;
    stage.feed(changeTopic, change(commands, type, body, { as, receivedAt }));
  };
  command('key.seed', SEED, 0, null);
  const bind = (walletId: string, at: number) =>
    command('wallet.bind', { walletId, provider: 'venue_b', address: ADDRESS, label: '' }, at);
  const unbind = (walletId: string, at: number) => command('wallet.unbind', { walletId }, at);
  const value = (receivedAt: number, cash = '1') =>
    stage.feed(venueBAcquisitionTopic, { account: ACCOUNT, receivedAt, asOf: null, positions: [], cash: [cash, '0'] });
  const taken = () =>
    stage.emittedTo(navSnapshotTopic).map(({ hour, asOf, navUsd }) => [hour / HOUR, (asOf - hour) / MINUTE, navUsd]);
  /** What the newest record of the head states: the hour, `none`, or null after its removal. */
  const head = () => {
    const newest = stage.outputs.findLast(({ topic }) => topic === snapshotHeadTopic.name);
    const record = newest?.value as { newest: { hour: number } | null } | null;
    return record && (record.newest ? record.newest.hour / HOUR : 'none');
  };
  return { stage, bind, unbind, value, taken, head };
}

it('is the first value within ten minutes of the mark; an hour without one has no snapshot', () => {
  const { stage, bind, value, taken, head } = setUp();
  bind('wal_1', HOUR - 1);
  expect(head()).toBe('none');
  value(HOUR - 1, '9');
  value(HOUR, '1');
  stage.restart();
  value(HOUR + 5 * MINUTE, '2');
  value(2 * HOUR + 10 * MINUTE + 1, '3');
  value(3 * HOUR + 10 * MINUTE, '4');
  expect(taken()).toEqual([
    [1, 0, '1'],
    [3, 10, '4'],
  ]);
  expect(head()).toBe(3);
});

it('is taken of accounts only while a binding names them', () => {
  const { bind, unbind, value, taken, head } = setUp();
  value(HOUR, '1');
  bind('wal_1', HOUR + 1);
  value(2 * HOUR, '2');
  unbind('wal_1', 2 * HOUR + 1);
  expect(head()).toBeNull();
  value(3 * HOUR, '3');
  bind('wal_2', 3 * HOUR + 1);
  value(4 * HOUR, '4');
  expect(taken()).toEqual([
    [2, 0, '2'],
    [4, 0, '4'],
  ]);
});
