import { expect, it } from 'vitest';
import { on, onKeyed } from './stage.ts';
import { numberTopic } from './testing/numbers.fixture.ts';

const ignore = () => {};

it('a compacted topic, whose keys can be removed, is only accepted by onKeyed', () => {
  const compacted = numberTopic('derived.test-heads', 1, { kind: 'compacted' });
  expect(() => on(compacted, ignore)).toThrow('derived.test-heads is compacted');
  expect(onKeyed(compacted, ignore).topic).toBe(compacted);
  for (const kind of ['raw', 'derived', 'forever'] as const) {
    const topic = numberTopic('derived.test', 1, { kind });
    expect(on(topic, ignore).topic).toBe(topic);
  }
});
