import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reduceControl } from '#schemas/domain/control/reduce';
import { initialControlState } from '#schemas/domain/control/state';
import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import { openControlReplica } from './control-replica.ts';
import { mixedCommands } from './mixed-commands.ts';
import { openTestLog, type TestLog } from './open-test-log.fixture.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const BATCH_RECORDS = 1_000;
let opened: TestLog;
beforeEach(async () => {
  opened = await openTestLog();
  await opened.log.createTopics([commandTopic]);
  await opened.codec.prepare([commandTopic]);
});
afterEach(() => opened.close());

/** Appends commands, with undecodable bytes before the one of this index. */
async function append(commands: readonly ControlCommand[], garbageAt = -1): Promise<void> {
  const records = commands.flatMap((command, index) => {
    const record = { ...AT, key: command.id, receivedAt: command.receivedAt, seq: 0 };
    const valid = { ...record, value: opened.codec.encode(commandTopic, command) };
    return index === garbageAt ? [{ ...record, value: Buffer.from('garbage') }, valid] : [valid];
  });
  for (let at = 0; at < records.length; at += BATCH_RECORDS)
    await opened.log.append(records.slice(at, at + BATCH_RECORDS));
}

it('reduces every command of the log in order, refuses bad ones and skips undecodable records', async () => {
  const valid = [...mixedCommands(5_000)];
  const bad: Partial<ControlCommand>[] = [
    { type: 'key.paint' },
    { type: 'toString' },
    { body: '{' },
    { body: 'null' },
    { body: '{"__proto__":{"keyId":"k"}}' },
    { wallTime: 9e15 },
  ];
  const commands = valid.flatMap((command, nth) =>
    nth % 100 === 50
      ? [{ ...command, id: `bad-${nth}`, ...bad[Math.floor(nth / 100) % bad.length] }, command]
      : [command],
  );
  await append(commands, 700);
  const expected = initialControlState();
  const verdicts = commands.map((command) => reduceControl(expected, command));
  expect(verdicts.filter((verdict) => !verdict.ok).length).toBeGreaterThan(40);
  const warnings: unknown[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
  const replica = await openControlReplica({ log: opened.log, codec: opened.codec, logger });
  expect(replica.state).toEqual(expected);
  await replica.close();
  expect(warnings).toEqual([
    expect.objectContaining({ offset: 700, msg: 'skipped an undecodable record in control.commands' }),
  ]);
});

it('lets timers run while a replica starts', async () => {
  await append([...mixedCommands(20_000)]);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const replica = await openControlReplica({ log: opened.log, codec: opened.codec, logger: pino({ level: 'silent' }) });
  clearInterval(timer);
  await replica.close();
  expect(turns).toBeGreaterThan(10);
});
