import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignPartitions } from './assign-partitions.ts';

const partitions = (topic: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ topic, name: `${topic}/${index}` }));
const member = (topics: readonly string[], holds: readonly string[] = []) => ({ topics, holds: new Set(holds) });
const namesOf = (own: readonly { name: string }[] | undefined) => (own ?? []).map(({ name }) => name);

describe('assignPartitions', () => {
  it('moves only the share of a new member', () => {
    const [old, fresh] = [member(['a'], ['a/0', 'a/1', 'a/2', 'a/3']), member(['a'])];
    const assigned = assignPartitions([old, fresh], partitions('a', 4));
    expect(namesOf(assigned.get(old))).toEqual(['a/0', 'a/1']);
    expect(namesOf(assigned.get(fresh))).toEqual(['a/2', 'a/3']);
  });

  it('assigns only to members that subscribe to the topic', () => {
    const [a, both] = [member(['a']), member(['a', 'b'])];
    const assigned = assignPartitions([a, both], [...partitions('a', 2), ...partitions('b', 2)]);
    expect(namesOf(assigned.get(a))).toEqual(['a/0']);
    expect(namesOf(assigned.get(both))).toEqual(['a/1', 'b/0', 'b/1']);
  });

  it('assigns every partition of a subscribed topic once, evenly, whatever was held before', () => {
    const topics = ['a', 'b', 'c'];
    const all = topics.flatMap((topic) => partitions(topic, 7));
    const memberOf = fc.record({
      topics: fc.subarray(topics, { minLength: 1 }),
      holds: fc.subarray(all.map(({ name }) => name)).map((names) => new Set(names)),
    });
    fc.assert(
      fc.property(fc.array(memberOf, { minLength: 1, maxLength: 5 }), (members) => {
        const assigned = assignPartitions(members, all);
        for (const topic of topics) {
          const asking = members.filter((one) => one.topics.includes(topic));
          const counts = asking.map((one) => assigned.get(one)!.filter((own) => own.topic === topic).length);
          const given = members.flatMap((one) => namesOf(assigned.get(one)).filter((name) => name.startsWith(topic)));
          expect(new Set(given).size).toBe(given.length);
          expect(given.length).toBe(asking.length > 0 ? 7 : 0);
          if (counts.length > 0) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
