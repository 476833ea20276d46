import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { openTestLog, type TestLog } from '../control/open-test-log.fixture.ts';
import { type EventLog, LogError } from '../log/log.ts';
import { createHealth, type Health } from '../telemetry/health.ts';
import { type FollowOptions, TopicFollower } from './topic-follower.ts';

const PART = 'commands';
const UNAVAILABLE = new LogError('log_unavailable', 'no broker answers');
const BUG = new TypeError('a fault of the program');

let opened: TestLog;
let log: EventLog;
let codec: Codec;
let health: Health;
let handled: string[];
const logged: string[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
const followers: TopicFollower<ControlCommand>[] = [];

beforeEach(async () => {
  opened = await openTestLog();
  [log, codec, health] = [Object.create(opened.log), Object.create(opened.codec), createHealth()];
  handled = [];
  logged.length = 0;
  await log.createTopics([commandTopic]);
  await codec.prepare([commandTopic]);
});
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.close();
  await opened.close();
});

function follower(options: Partial<FollowOptions<ControlCommand>> = {}): TopicFollower<ControlCommand> {
  const created = new TopicFollower(
    { log, codec, logger, health },
    { topic: commandTopic, part: PART, from: 0, handle: ({ id }) => void handled.push(id), ...options },
  );
  followers.push(created);
  return created;
}
/** Appends a command under each id; the id `garbage` is the key of undecodable bytes. */
async function append(...ids: string[]): Promise<void> {
  for (const id of ids) {
    const command = codec.encode(commandTopic, { id, receivedAt: 0, wallTime: 0, type: 'key.paint', body: '{}' });
    const value = id === 'garbage' ? Buffer.from(id) : command;
    await opened.log.append([{ topic: commandTopic.name, partition: 0, key: id, value, receivedAt: 0, seq: 0 }]);
  }
}
/** Makes this many polls of later readers fail. */
function failPolls(times: number, error: Error): void {
  let failures = 0;
  log.reader = async (from) => {
    const reader = await opened.log.reader(from);
    const poll = reader.poll.bind(reader);
    reader.poll = (...limits) => {
      failures += 1;
      return failures > times ? poll(...limits) : Promise.reject(error);
    };
    return reader;
  };
}
const untilHandled = (...ids: string[]) => vi.waitFor(() => expect(handled).toEqual(ids), 5_000);

describe('a follower', () => {
  it('handles the records of the start, then every new one, each once and in order', async () => {
    await append('a', 'b');
    const following = follower();
    await following.catchUp();
    expect([handled, following.handledOffset]).toEqual([['a', 'b'], 1]);
    await append('c');
    await following.start();
    await append('d');
    await untilHandled('a', 'b', 'c', 'd');
    expect(following.handledOffset).toBe(3);
  });

  it('begins at its first offset', async () => {
    await append('a', 'b');
    await follower({ from: 1 }).catchUp();
    expect(handled).toEqual(['b']);
  });

  it('reports tombstones, and skips keys that are not wanted and undecodable records, which it logs', async () => {
    const tombstone = { topic: commandTopic.name, partition: 0, key: 'a', value: null, receivedAt: 0, seq: 0 };
    const removed: string[] = [];
    await opened.log.append([tombstone]);
    await append('garbage', 'unwanted', 'a');
    const decode = vi.spyOn(codec, 'decode');
    const onRemoved = (key: string) => void removed.push(key);
    const following = follower({ isWanted: (key) => key !== 'unwanted', onRemoved });
    await following.catchUp();
    expect([handled, removed, following.handledOffset]).toEqual([['a'], ['a'], 3]);
    expect(decode).toHaveBeenCalledTimes(2);
    expect(logged.filter((line) => line.includes('skipped an undecodable record in control.commands'))).toHaveLength(1);
  });

  it('waits for a handler before the next record, and calls back after every poll', async () => {
    let running = 0;
    const afterPoll = vi.fn();
    const handle = async ({ id }: ControlCommand) => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      handled.push(id);
    };
    await append('a', 'b');
    await follower({ handle, afterPoll }).start();
    await untilHandled('a', 'b');
    await expect.poll(() => afterPoll.mock.calls.length).toBeGreaterThan(1);
  });
});

describe('after a transient error a follower continues with the same record, and reports the error meanwhile,', () => {
  const degraded = () =>
    vi.waitFor(() => expect(health.report().parts[PART]).toMatch(/^could not process control/), 5_000);
  const recovered = () =>
    vi.waitFor(() => expect(health.report()).toMatchObject({ parts: { [PART]: 'ready' } }), 5_000);

  it('when the log was unavailable', async () => {
    failPolls(2, UNAVAILABLE);
    await append('a');
    await follower().start();
    await degraded();
    await untilHandled('a');
    await recovered();
    expect(logged.filter((line) => line.includes('could not process control.commands, retrying'))).toHaveLength(1);
    expect(logged.join()).toContain('control.commands can be processed again');
  });

  it.each([
    new CodecError('unknown_schema', 'schema 9 is not registered'),
    new RegistryError('the registry is unavailable', true),
  ])('when a schema could not be fetched: $message', async (error) => {
    let isKnown = false;
    let fetches = 0;
    codec.hasSchema = () => isKnown;
    codec.fetchSchema = async () => {
      fetches += 1;
      if (fetches < 3) throw error;
      isKnown = true;
    };
    await append('a', 'b');
    await follower().start();
    await degraded();
    await untilHandled('a', 'b');
    expect(fetches).toBe(3);
    await recovered();
  });

  it('when decoding reports an unknown schema', async () => {
    vi.spyOn(codec, 'decode').mockImplementationOnce(() => {
      throw new CodecError('unknown_schema', 'schema 9 is not known on this node yet');
    });
    await append('a');
    await follower().start();
    await untilHandled('a');
  });

  it('when its handler failed', async () => {
    let failures = 0;
    const handle = ({ id }: ControlCommand) => {
      if (id === 'b' && failures < 2) {
        failures += 1;
        throw UNAVAILABLE;
      }
      handled.push(id);
    };
    await append('a', 'b', 'c');
    await follower({ handle }).start();
    await degraded();
    await untilHandled('a', 'b', 'c');
    await recovered();
  });

  it('until everything that failed has recovered', () => {
    const following = follower();
    following.reportProblem('reading', UNAVAILABLE);
    following.reportProblem('checking', UNAVAILABLE);
    following.reportProblem('reading', null);
    expect(health.report().parts[PART]).toContain('no broker answers');
    following.reportProblem('checking', null);
    expect(health.report().parts[PART]).toBe('ready');
  });
});

describe('a permanent error ends a follower and is reported as failed', () => {
  it.each([
    ['the log', () => failPolls(1, BUG), {}],
    ['the codec', () => vi.spyOn(codec, 'decode').mockImplementation(fail), {}],
    ['its handler', () => {}, { handle: fail }],
  ])('by %s', async (_, breakIt, options) => {
    breakIt();
    await append('a');
    const following = follower(options);
    await following.start();
    expect(await health.failure).toMatchObject({ part: PART, cause: BUG });
    expect(following.hasFailed).toBe(true);
    expect(logged.join()).toContain('stopped processing control.commands after an unexpected error');
  });

  it('except during the catch-up, which rejects', async () => {
    await append('a');
    await expect(follower({ handle: fail }).catchUp()).rejects.toBe(BUG);
  });
});

describe('closing a follower', () => {
  it('waits for the running handler, whose signal aborts, and handles no later record', async () => {
    const handle = async ({ id }: ControlCommand, _: unknown, signal: AbortSignal) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise((resolve) => setTimeout(resolve, 20));
      handled.push(id);
    };
    await append('a', 'b');
    const following = follower({ handle });
    const handling = vi.spyOn(codec, 'decode');
    await following.start();
    await expect.poll(() => handling).toHaveBeenCalled();
    await following.close();
    expect(handled).toEqual(['a']);
  });

  it('ends a retry, which is no failure', async () => {
    failPolls(Number.POSITIVE_INFINITY, UNAVAILABLE);
    const following = follower();
    await following.start();
    await expect.poll(() => health.report().status).toBe('degraded');
    await following.close();
    expect([following.hasFailed, logged.join().includes('stopped processing')]).toEqual([false, false]);
  });

  it('hides an error of a handler whose dependencies are closed already', async () => {
    const handle = async (_: unknown, __: unknown, signal: AbortSignal) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw BUG;
    };
    await append('a');
    const following = follower({ handle });
    const handling = vi.spyOn(codec, 'decode');
    await following.start();
    await expect.poll(() => handling).toHaveBeenCalled();
    await following.close();
    expect(following.hasFailed).toBe(false);
  });
});

function fail(): never {
  throw BUG;
}
