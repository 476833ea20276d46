import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateTopic } from '#schemas/topics/control';
import { LogError } from '../log/log.ts';
import type { Snapshot } from './snapshot.ts';
import { openSnapshots } from './snapshots.ts';
import { failingAppends, type NumbersFixture, openNumbers } from './testing/numbers.fixture.ts';

const NAME = 'test';
const TOPIC = stateTopic(NAME);
const AT = { topic: TOPIC.name, partition: 0 };

let fixture: NumbersFixture;
beforeEach(async () => {
  fixture = await openNumbers([]);
});
afterEach(() => fixture.close());

const open = (stateVersion?: number, log = fixture.log) =>
  openSnapshots<string>({
    stage: { name: NAME, outputs: [], ...(stateVersion === undefined ? {} : { stateVersion }) },
    log,
    codec: fixture.codec,
    logger: fixture.logger,
  });
const snapshot = (state: string): Snapshot<string> => ({
  state,
  offsets: new Map([['raw.a/0', state.length]]),
  inputSeqs: new Map([['raw.a/0', 7]]),
  outputSeqs: new Map([['derived.b/1', 8]]),
  receivedAt: 100,
});
const loaded = async (stateVersion?: number) => (await (await open(stateVersion)).load())?.state ?? null;
/** A state of several chunks, whatever the compression. */
const large = (label: string) => `${label} ${randomBytes(900_000).toString('base64')}`;

describe('the snapshots of a stage', () => {
  it('are absent at first, then the newest is loaded', async () => {
    expect(await loaded()).toBeNull();
    const store = await open();
    for (const state of ['one', 'two', 'three']) {
      await store.save(snapshot(state));
      expect(await (await open()).load()).toEqual(snapshot(state));
    }
  });

  it('survive any number of failed saves, at whatever chunk they fail', async () => {
    await (await open()).save(snapshot('good'));
    let appends = 0;
    let isFull = true;
    const failing = failingAppends(fixture.log, (records) => {
      if (records[0]!.topic !== TOPIC.name) return null;
      appends += 1;
      return isFull && appends % 2 === 0 ? new LogError('log_full', 'full') : null;
    });
    const store = await open(undefined, failing);
    expect((await store.load())?.state).toBe('good');
    for (let time = 0; time < 3; time += 1) {
      await expect(store.save(snapshot('bad'))).rejects.toThrow('full');
      expect(await loaded()).toBe('good');
    }
    // A restart in between changes nothing.
    for (let time = 0; time < 3; time += 1) {
      const again = await open(undefined, failing);
      await again.load();
      await expect(again.save(snapshot('bad'))).rejects.toThrow('full');
      expect(await loaded()).toBe('good');
    }
    isFull = false;
    await store.save(snapshot('better'));
    expect(await loaded()).toBe('better');
  });

  it('are ignored, with a warning, if a chunk is missing', async () => {
    const store = await open();
    const label = async () => (await loaded())?.slice(0, 5);
    await store.save(snapshot(large('older')));
    await store.save(snapshot(large('newer')));
    expect(await label()).toBe('newer');
    const remove = (key: string) => fixture.log.append([{ ...AT, key, value: null, receivedAt: 100, seq: 99 }]);
    await remove('0/1');
    expect(await label()).toBe('older');
    expect(fixture.logged.at(-1)).toMatchObject({ level: 40, snapshot: '0', msg: expect.stringContaining('missing') });
    await remove('1/0');
    expect(await loaded()).toBeNull();
  });

  it.each([
    ['a chunk is garbage', '0/0', () => Buffer.from('rubbish')],
    [
      'the bytes are not a state',
      '0/0',
      (generation: number) =>
        fixture.codec.encode(TOPIC, {
          receivedAt: 100,
          generation,
          chunks: 1,
          chunk: 0,
          payload: Buffer.from('rubbish'),
        }),
    ],
    [
      'the manifest is garbage',
      '0/manifest',
      (generation: number) =>
        fixture.codec.encode(TOPIC, {
          receivedAt: 100,
          generation,
          chunks: 1,
          chunk: -1,
          payload: Buffer.from('{"a":1}'),
        }),
    ],
  ])('are ignored, with a warning, if %s', async (_, key, bytes) => {
    const store = await open();
    await store.save(snapshot('one'));
    await store.save(snapshot('two'));
    await fixture.log.append([{ ...AT, key, value: bytes(2), receivedAt: 100, seq: 99 }]);
    expect(await loaded()).toBe('one');
    expect(fixture.logged.filter(({ level }) => level === 40)).not.toEqual([]);
    // The next save does not overwrite the only good one.
    const again = await open();
    await again.load();
    const failing = await open(
      undefined,
      failingAppends(fixture.log, ([record]) =>
        record!.key.endsWith('manifest') ? new LogError('log_full', 'full') : null,
      ),
    );
    await failing.load();
    await expect(failing.save(snapshot('bad'))).rejects.toThrow('full');
    expect(await loaded()).toBe('one');
  });

  it('of another state version are ignored and logged', async () => {
    await (await open()).save(snapshot('of version 1'));
    expect(await loaded(1)).toBe('of version 1');
    expect(await loaded(2)).toBeNull();
    expect(fixture.logged.at(-1)).toMatchObject({ level: 40, stage: NAME, snapshot: 1, wanted: 2 });
    const second = await open(2);
    await second.load();
    await second.save(snapshot('of version 2'));
    expect(await loaded(2)).toBe('of version 2');
    // The previous version finds its own again.
    expect(await loaded(1)).toBe('of version 1');
  });
});
