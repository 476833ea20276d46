import { expect, it } from 'vitest';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { openTestPublisher, silentLogger, until } from '../../testing/open-publisher.fixture.ts';
import { LinkedOutcomes } from './linked-outcomes.ts';

const link = (provider: string, coin: string, used = true): UniversalEvent['links'][number] => ({
  provider,
  providerMarketId: coin,
  confidence: 1,
  source: 'structured',
  polarity: 'same',
  used,
  evidence: '{}',
  yesInstrument: `${coin}0`,
  noInstrument: `${coin}1`,
  takerFeeRate: null,
  marketState: 'open',
  title: '',
  endTime: null,
});
const OUTCOME = link('venue_a_outcome', '#1');

it('finds the coins of outcomes with a used link to another venue, and follows changes', async () => {
  const { log, codec } = await openTestPublisher();
  let changes = 0;
  const linked = new LinkedOutcomes({ log, codec, logger: silentLogger }, () => {
    changes += 1;
  });
  await linked.start();
  let at = 0;
  const publish = async (universalId: string, links: UniversalEvent['links'], fields: Partial<UniversalEvent> = {}) => {
    at += 1;
    const event: UniversalEvent = {
      universalId,
      receivedAt: at,
      canonicalName: '',
      kind: null,
      underlying: null,
      threshold: null,
      op: null,
      resolutionTime: null,
      status: 'open',
      firstSeenAt: 1,
      lastSeenAt: 1,
      links,
      mergedInto: null,
      details: '{}',
      overAt: null,
      ...fields,
    };
    const value = codec.encode(eventTopic, event);
    await log.append([{ topic: eventTopic.name, partition: 0, key: universalId, value, receivedAt: at, seq: at }]);
  };
  await publish('evt_alone', [link('venue_a_outcome', '#2')]);
  await publish('evt_unused', [link('venue_a_outcome', '#3'), link('venue_b', 'x', false)]);
  await publish('evt_linked', [OUTCOME, link('venue_b', 'y')]);
  await until(() => changes === 1);
  expect([...linked.coins()]).toEqual(['#10', '#11']);
  await publish('evt_linked', [OUTCOME, link('venue_b', 'y')], { mergedInto: 'evt_other' });
  await until(() => changes === 2);
  expect([...linked.coins()]).toEqual([]);
  await linked.close();
});
