import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AppendRecord, type EventLog, LogError, type Watermark } from '#infra/log/log';
import type { Running } from '#infra/runtime/context';
import { type ControlChange, changeTopic, commandTopic } from '#schemas/topics/control';
import { rawTopic } from '#schemas/topics/raw';
import { openPublisher } from '../publisher/open-publisher.ts';
import type { Publisher } from '../publisher/publisher.ts';
import { until } from '../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../testing/role-context.fixture.ts';
import { sequenceChanges } from './sequence-changes.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const WS = rawTopic('venue_a', 'ws');

let role: TestRole;
let remove: () => Promise<void>;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  const created = await testFolder();
  remove = created.remove;
  role = await openTestRole(created.folder, {});
  await role.context.log.createTopics([commandTopic]);
  await role.context.codec.prepare([commandTopic]);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await role.close();
  await remove();
});

/** Appends a command as a service node does. */
async function command(id: string): Promise<void> {
  const { log, codec } = role.context;
  const value = codec.encode(commandTopic, {
    id,
    receivedAt: 0,
    wallTime: 7,
    type: 'key.paint',
    body: `{"of":"${id}"}`,
  });
  await log.append([{ ...AT, key: id, value, receivedAt: 0, seq: 0 }]);
}
async function changes(): Promise<(ControlChange & { seq: number })[]> {
  const records = await role.records(changeTopic as never);
  return records.map(({ value, seq }) => ({ ...role.context.codec.decode(changeTopic, value!), seq }));
}
const ids = async () => (await changes()).map(({ id }) => id);
async function untilChanges(count: number, or: () => boolean = () => false): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!or() && (await changes()).length < count) {
    if (Date.now() > deadline) throw new Error(`no ${count} changes`);
    await sleep(2);
  }
}
const publishedLines = async () => (await role.raw('venue_a', 'ws')).map(({ payload }) => payload.toString());

/** The log as one process sees it. It can fail at one append, and records the watermarks that it was given. */
function processLog(kill: { at: number; when: 'before' | 'after' } | null) {
  const base = role.context.log;
  const log = Object.create(base) as EventLog;
  const watermarks = new Map<string, number>();
  let appends = 0;
  log.advance = (advanced: readonly Watermark[]) => {
    for (const { topic, partition, watermark } of advanced) watermarks.set(`${topic}/${partition}`, watermark);
    base.advance(advanced);
  };
  log.append = async (records: readonly AppendRecord[]) => {
    appends += 1;
    const fails = kill !== null && appends >= kill.at;
    if (fails && (kill.when === 'before' || appends > kill.at)) throw new LogError('log_closed', 'killed');
    for (const { topic, partition, receivedAt } of records)
      if (receivedAt < (watermarks.get(`${topic}/${partition}`) ?? 0))
        throw new Error(`${topic} gets a record below its watermark`);
    await base.append(records);
    if (fails) throw new LogError('log_closed', 'killed');
  };
  return { log, watermarks };
}

interface TestProcess {
  readonly publisher: Publisher;
  readonly sequencer: Running;
  readonly watermarks: ReadonlyMap<string, number>;
  readonly hasFailed: () => boolean;
  end(): Promise<void>;
}

async function startProcess(
  time: 'live' | 'recorded',
  kill: Parameters<typeof processLog>[0] = null,
): Promise<TestProcess> {
  const { codec, logger, metrics } = role.context;
  const { log, watermarks } = processLog(kill);
  let failure: Error | null = null;
  const onFailure = (error: Error) => {
    failure ??= error;
  };
  const publisher = await openPublisher({ log, codec, logger, metrics, time, onLogStatus: () => {}, onFailure });
  const sequencer = await sequenceChanges({ log, codec, logger, publisher });
  return {
    publisher,
    sequencer,
    watermarks,
    hasFailed: () => failure !== null,
    end: async () => {
      await sequencer.close();
      await publisher.close().catch((error: unknown) => {
        if (failure !== error) throw error;
      });
    },
  };
}
async function startLive(): Promise<TestProcess> {
  const testProcess = await startProcess('live');
  closing.push(testProcess.end);
  return testProcess;
}

describe('commands live', () => {
  it('are copied in order with all their fields, numbered, at the time at which they are read', async () => {
    await command('a');
    const before = Date.now();
    await startLive();
    await command('b');
    await untilChanges(2);
    const [first, second] = await changes();
    expect(first).toMatchObject({
      id: 'a',
      wallTime: 7,
      type: 'key.paint',
      body: '{"of":"a"}',
      commandOffset: 0,
      seq: 1,
    });
    expect(second).toMatchObject({ id: 'b', commandOffset: 1, seq: 2 });
    expect(first!.receivedAt).toBeGreaterThanOrEqual(before);
    expect(second!.receivedAt).toBeGreaterThanOrEqual(first!.receivedAt);
  });

  it('can be processed immediately, because the watermark passes their time', async () => {
    const { watermarks } = await startLive();
    await command('a');
    await untilChanges(1);
    const [change] = await changes();
    await until(() => watermarks.get(`${changeTopic.name}/0`)! > change!.receivedAt);
  });

  it('are skipped if they cannot be decoded', async () => {
    await role.context.log.append([{ ...AT, key: 'x', value: Buffer.from('nonsense'), receivedAt: 0, seq: 0 }]);
    await command('a');
    await startLive();
    await untilChanges(1);
    expect((await changes())[0]).toMatchObject({ id: 'a', commandOffset: 1, seq: 1 });
  });

  it('are delayed until their schema is known', async () => {
    const { codec } = role.context;
    let isUnavailable = true;
    codec.hasSchema = () => !isUnavailable;
    codec.fetchSchema = () => Promise.reject(Object.assign(new Error('unavailable'), { canRetry: true }));
    await startLive();
    await command('a');
    await sleep(100);
    expect(await ids()).toEqual([]);
    isUnavailable = false;
    await untilChanges(1);
  });

  it.each(['before', 'after'] as const)('are neither lost nor duplicated by a kill %s any append', async (when) => {
    const expected: string[] = [];
    const submit = async () => {
      expected.push(`c${expected.length}`);
      await command(expected.at(-1)!);
    };
    for (let at = 1; at <= 5; at += 1) {
      const testProcess = await startProcess('live', { at, when });
      for (let nth = 0; nth < 6; nth += 1) {
        await submit();
        if (nth % 2 === 0) await submit();
        await untilChanges(expected.length, testProcess.hasFailed);
      }
      expect(testProcess.hasFailed()).toBe(true);
      await testProcess.end();
    }
    await startLive();
    await untilChanges(expected.length);
    const found = await changes();
    expect(found.map(({ id }) => id)).toEqual(expected);
    expect(found.map(({ seq }) => seq)).toEqual(expected.map((_, index) => index + 1));
    expect(found.map(({ commandOffset }) => commandOffset)).toEqual(expected.map((_, index) => index));
  });
});

describe('commands while a recording plays', () => {
  const LINES = Array.from({ length: 12 }, (_, index) => ({ at: 1_000 + index * 10, text: `line ${index}` }));
  const END = LINES.at(-1)!.at + 1;
  const line = ({ at, text }: (typeof LINES)[number]) =>
    ({ source: 'venue_a.ws', feed: 'venue_a.ws', payload: text, receivedAt: at }) as const;
  async function startRecorded(): Promise<TestProcess> {
    const testProcess = await startProcess('recorded');
    closing.push(testProcess.end);
    return testProcess;
  }

  it('take effect at the current time of the recording, before its next records', async () => {
    const { publisher, watermarks } = await startRecorded();
    await command('before the first line');
    publisher.receive(line(LINES[0]!));
    await untilChanges(1);
    publisher.advanceTo(LINES[1]!.at);
    await command('in a silence');
    await untilChanges(2);
    publisher.receive(line(LINES[1]!));
    publisher.receive(line(LINES[2]!));
    await publisher.flush();
    const found = await changes();
    expect(found.map(({ receivedAt }) => receivedAt)).toEqual([LINES[0]!.at, LINES[1]!.at]);
    expect(watermarks.get(`${changeTopic.name}/0`)).toBe(LINES[2]!.at);
    // Merged order is by time, then by name: the command comes first.
    expect(changeTopic.name < WS.name).toBe(true);
  });

  it('continue after its end, each at a time of its own that the watermark passes immediately', async () => {
    const { publisher, watermarks } = await startRecorded();
    publisher.receive(line(LINES[0]!));
    publisher.endRecording(END);
    for (const [nth, id] of ['a', 'b', 'c'].entries()) {
      await command(id);
      await untilChanges(nth + 1);
      const { receivedAt } = (await changes())[nth]!;
      expect(receivedAt).toBe(END + nth);
      await until(() => watermarks.get(`${changeTopic.name}/0`)! > receivedAt);
    }
  });

  it('wait while a restart repeats what the log holds, and come after all of it', async () => {
    const first = await startProcess('recorded');
    for (const each of LINES.slice(0, 5)) first.publisher.receive(line(each));
    await first.publisher.flush();
    await first.end();
    await command('a');
    const { publisher } = await startRecorded();
    expect(publisher.storedUntil).toBe(LINES[4]!.at);
    for (const each of LINES.slice(0, 5)) publisher.receive(line(each));
    await sleep(60);
    expect(await ids()).toEqual([]);
    publisher.receive(line(LINES[5]!));
    await untilChanges(1);
    expect((await changes())[0]!.receivedAt).toBe(LINES[5]!.at);
  });

  it('continue after the restart of a recording that has ended', async () => {
    for (const [nth, id] of ['a', 'b', 'c'].entries()) {
      const testProcess = await startProcess('recorded');
      for (const each of LINES) testProcess.publisher.receive(line(each));
      testProcess.publisher.endRecording(END);
      await command(id);
      await untilChanges(nth + 1);
      await testProcess.end();
    }
    const times = (await changes()).map(({ receivedAt }) => receivedAt);
    expect(await ids()).toEqual(['a', 'b', 'c']);
    expect(times[0]).toBe(END);
    expect(new Set(times).size).toBe(3);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(await publishedLines()).toEqual(LINES.map(({ text }) => text));
  });

  it.each(['before', 'after'] as const)(
    'are neither lost, duplicated nor late by a kill %s any append at any line',
    async (when) => {
      const submitted: string[] = [];
      /** Plays until the process fails, with one more command at every third line. */
      const play = async (testProcess: TestProcess) => {
        for (const [nth, each] of LINES.entries()) {
          testProcess.publisher.receive(line(each));
          if (testProcess.hasFailed()) return;
          if (!testProcess.publisher.canPublishChanges) continue;
          await testProcess.publisher.flush().catch(() => {});
          if (nth % 3 !== 0) continue;
          submitted.push(`c${submitted.length}`);
          await command(submitted.at(-1)!);
          await untilChanges(submitted.length, testProcess.hasFailed);
        }
        testProcess.publisher.endRecording(END);
        await command('last');
        submitted.push('last');
        await untilChanges(submitted.length, testProcess.hasFailed);
      };
      let newest = 0;
      let checked = 0;
      for (let nth = 1; newest < END; nth += 1) {
        if (nth > 60) throw new Error('it makes no progress');
        // It fails at a different one of its first appends each time.
        const testProcess = await startProcess('recorded', { at: 1 + (nth % 4), when });
        await play(testProcess);
        await testProcess.end();
        const found = await changes();
        // Stages may have processed everything from before this process already.
        for (const { receivedAt } of found.slice(checked)) expect(receivedAt).toBeGreaterThan(newest);
        checked = found.length;
        const lines = await role.raw('venue_a', 'ws');
        newest = Math.max(0, ...[...lines, ...found].map(({ receivedAt }) => receivedAt));
      }
      const last = await startRecorded();
      for (const each of LINES) last.publisher.receive(line(each));
      last.publisher.endRecording(END);
      await untilChanges(submitted.length);
      const found = await changes();
      expect(found.map(({ id }) => id)).toEqual(submitted);
      expect(found.map(({ commandOffset }) => commandOffset)).toEqual(submitted.map((_, index) => index));
      expect(found.map(({ seq }) => seq)).toEqual(submitted.map((_, index) => index + 1));
      expect(await publishedLines()).toEqual(LINES.map(({ text }) => text));
    },
  );
});
