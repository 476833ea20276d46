import { expect, it } from 'vitest';
import { CHAIN_EVENTS, COLLATERAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { accountTopic, wordOf } from '#schemas/venues/venue-b/oracle-logs';
import { logsOf } from './position-logs.fixture.ts';
import { type AnyRecord, accountOf, blockAt, feed, hashOf, header, play, raw } from './venue-b.fixture.ts';

const complete = (number: number, fork = 'a') =>
  raw('rpc', blockAt(number) + 1, { complete: hashOf(`${number}${fork}`) });
const numbersOf = (records: readonly AnyRecord[]) => play(records).followedBlocks.map(({ number }) => number);

it('a block is followed with the next header, at which its logs are complete', () => {
  expect(play([header(100), header(101), header(105)]).followedBlocks).toEqual([
    { number: 100, hash: hashOf('100a'), ts: blockAt(100), receivedAt: blockAt(101) },
    { number: 101, hash: hashOf('101a'), ts: blockAt(101), receivedAt: blockAt(105) },
  ]);
});

it('a block is followed once ingest states that its logs are complete, and is published once', () => {
  expect(numbersOf([header(100), complete(99), complete(100), complete(100), header(101)])).toEqual([100]);
  expect(numbersOf([header(100), feed('ended', blockAt(100), 'venue_b.rpc')])).toEqual([100]);
});

it('after a reorganization the block below the new branch is followed', () => {
  const records = [header(100), header(101), header(102), complete(102), header(101, 'b', 'a')];
  expect(numbersOf([...records, complete(102), complete(101, 'b')])).toEqual([100, 101, 102, 100, 101]);
  expect(numbersOf([header(100), complete(100), header(100)])).toEqual([100]);
});

it('what follows from the logs of a block is published before the block', () => {
  const sent = {
    address: COLLATERAL_TOKENS.pUsd,
    topics: [CHAIN_EVENTS.transfer, accountTopic(accountOf('bob')), accountTopic(accountOf('alice'))],
    data: `0x${wordOf(5n)}`,
  };
  const { order } = play([header(100), ...logsOf([sent]), complete(100)]);
  expect(order).toEqual(['collateral-changes', 'collateral-changes', 'followed-blocks']);
});

it.each([[{ complete: 5 }], [{ complete: '0x12' }]])('%j is refused', (message) => {
  expect(play([header(100), raw('rpc', blockAt(100), message)]).dead).toMatchObject([{ reason: 'malformed_message' }]);
});
