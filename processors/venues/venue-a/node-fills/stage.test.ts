import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeFillCoverageTopic, nodeFillTopic } from '#schemas/topics/node-fills';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { driveStage, type StageDriver } from '../../../testing/drive-stage.fixture.ts';
import { createNodeFillsStage, type NodeFillsState } from './stage.ts';

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;
const START = Date.parse('2026-06-28T08:43:53.000Z');
const RAW = rawTopic('venue_a', 'node_fills');

let stage: StageDriver<NodeFillsState>;
let receivedAt: number;
beforeEach(() => {
  stage = driveStage(createNodeFillsStage());
  receivedAt = START;
});

const feed = (payload: string) => {
  receivedAt += 100;
  const envelope: RawEnvelope = {
    provider: 'venue_a',
    stream: 'node_fills',
    key: 'venue_a.node_fills',
    receivedAt,
    request: null,
    requestedAt: null,
    payload: Buffer.from(payload),
  };
  stage.feed(RAW, envelope);
};
const fillOf = (time: number, tid: number) => ({ coin: 'SOL', px: '72.10', time, tid });
/** The line of a block; `at` counts seconds from the start, and each event is a user and a tid. */
const block = (number: number, at: number, events: readonly (readonly [string, number])[] = []) => {
  const time = new Date(START + at * 1_000).toISOString().slice(0, -1);
  const fills = events.map(([user, tid]) => [user, fillOf(START + at * 1_000, tid)]);
  return JSON.stringify({ local_time: time, block_time: `${time}000123`, block_number: number, events: fills });
};
const fills = () =>
  stage.emittedTo(nodeFillTopic).map(({ user, time, tid, place }) => [user, time - START, tid, place]);
const coverage = () =>
  stage.emittedTo(nodeFillCoverageTopic).map(({ since, until }) => [(since - START) / 1_000, (until - START) / 1_000]);

describe('fills', () => {
  it('are emitted for both users of a trade, in the order of execution, with the JSON of the node', () => {
    feed(
      block(1, 0, [
        [A, 7],
        [B, 7],
        [A, 8],
      ]),
    );
    expect(fills()).toEqual([
      [A, 0, 7, 0],
      [B, 0, 7, 1],
      [A, 0, 8, 2],
    ]);
    expect(stage.emittedTo(nodeFillTopic)[0]).toMatchObject({
      coin: 'SOL',
      fill: JSON.stringify(fillOf(START, 7)),
      receivedAt: START + 100,
    });
  });

  it('are emitted once if a file is read again from its start, also after a restart', () => {
    const lines = [
      block(1, 0, [[A, 1]]),
      block(2, 1, [[A, 2]]),
      block(3, 2, [
        [A, 3],
        [B, 3],
      ]),
    ];
    for (const line of lines) feed(line);
    stage.restart();
    for (const line of [...lines, block(4, 3, [[A, 4]])]) feed(line);
    expect(fills().map(([user, , tid]) => `${user} ${tid}`)).toEqual([
      `${A} 1`,
      `${A} 2`,
      `${A} 3`,
      `${B} 3`,
      `${A} 4`,
    ]);
  });

  it('are read from lines without blocks', () => {
    for (const [user, tid] of [
      [A, 1],
      [B, 1],
      [A, 1],
      [A, 2],
    ] as const)
      feed(JSON.stringify([user, fillOf(START, tid)]));
    expect(fills().map(([user, , tid, place]) => [user, tid, place])).toEqual([
      [A, 1, 0],
      [B, 1, 1],
      [A, 2, 2],
    ]);
  });

  it('have addresses in lower case', () => {
    feed(block(1, 0, [[`0x${'A'.repeat(40)}`, 1]]));
    expect(fills()[0]![0]).toBe(A);
  });

  it('that are malformed become dead letters, and the others of the block are emitted', () => {
    const bad = JSON.parse(
      block(1, 0, [
        [A, 1],
        [B, 1],
        [A, 2],
      ]),
    );
    bad.events[1] = ['0x1', {}];
    delete bad.events[2][1].tid;
    feed(JSON.stringify(bad));
    expect(fills()).toEqual([[A, 0, 1, 0]]);
    expect(stage.deadLetters.map(({ reason, detail }) => `${reason} ${detail}`)).toEqual([
      'malformed_fill user: expected an address, got "0x1"',
      'malformed_fill fill.tid: expected an integer of 0 or more, got nothing',
    ]);
  });

  it('of the recorded line are read', (context) => {
    const shared = process.env.PARALLAX_SHARED;
    if (!shared || !existsSync(shared)) return context.skip('PARALLAX_SHARED names no folder');
    const text = readFileSync(join(shared, 'data/venue_a/node.node_fills_by_block.1-line.jsonl'), 'utf8').trim();
    feed(text);
    expect(fills().length).toBe(JSON.parse(text).events.length);
    expect(stage.deadLetters).toEqual([]);
  });
});

describe('the coverage', () => {
  it('grows with blocks without fills, at most once a second', () => {
    feed(block(1, 0));
    feed(block(2, 0.4));
    feed(block(3, 1.2));
    feed(block(4, 200));
    expect(coverage()).toEqual([
      [0, 0],
      [0, 1.2],
      [0, 200],
    ]);
  });

  it('begins anew after a missing block', () => {
    feed(block(1, 0));
    feed(block(2, 2));
    feed(block(4, 3));
    feed(block(5, 4));
    expect(coverage().slice(-2)).toEqual([
      [3, 3],
      [3, 4],
    ]);
  });

  it.each(['{"block_number":2', '{}', '7', block(2, 1).replace('_time":"2026-06-28T08:43:54.000000123', '_time":"x')])(
    'begins anew after the line %s',
    (line) => {
      feed(block(1, 0));
      feed(line);
      expect(stage.deadLetters).toMatchObject([{ reason: 'malformed_line' }]);
      feed(block(2, 1));
      expect(coverage()).toEqual([
        [0, 0],
        [1, 1],
      ]);
    },
  );

  it('does not change with blocks that were read before', () => {
    feed(block(5, 0));
    feed(block(6, 2));
    feed(block(5, 0));
    feed(block(6, 2));
    feed(block(7, 4));
    expect(coverage()).toEqual([
      [0, 0],
      [0, 2],
      [0, 4],
    ]);
  });

  it('begins anew after 10 s without a fill if lines have no blocks', () => {
    for (const at of [0, 5_000, 15_000, 25_001]) feed(JSON.stringify([A, fillOf(START + at, at)]));
    expect(coverage()).toEqual([
      [0, 0],
      [0, 5],
      [0, 15],
      [25.001, 25.001],
    ]);
  });

  it('continues when lines with blocks follow lines without', () => {
    feed(JSON.stringify([A, fillOf(START + 5_000, 1)]));
    feed(block(1, 0));
    feed(block(2, 5, [[A, 1]]));
    feed(block(3, 7));
    feed(block(4, 30));
    expect(coverage().map(([since]) => since)).toEqual([5, 5, 5]);
    expect(fills()).toHaveLength(1);
  });
});
