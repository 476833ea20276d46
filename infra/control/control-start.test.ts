import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reduceControl } from '#schemas/domain/control/reduce';
import { initialControlState } from '#schemas/domain/control/state';
import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import { mixedCommands } from '../bench/mixed-commands.ts';
import { openControlHost } from './control-host.ts';
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

/** Appends commands, with bytes that are no command before the one of this index. */
async function append(commands: readonly ControlCommand[], garbageAt = -1): Promise<void> {
  const records = commands.flatMap((command, index) => {
    const record = { ...AT, key: command.id, receivedAt: command.receivedAt, seq: 0 };
    const sound = { ...record, value: opened.codec.encode(commandTopic, command) };
    return index === garbageAt ? [{ ...record, value: Buffer.from('garbage') }, sound] : [sound];
  });
  for (let at = 0; at < records.length; at += BATCH_RECORDS)
    await opened.log.append(records.slice(at, at + BATCH_RECORDS));
}

it('reduces every command of the log in order, refuses bad ones and passes over what is no command', async () => {
  const sound = [...mixedCommands(5_000)];
  const bad: Partial<ControlCommand>[] = [
    { type: 'key.paint' },
    { type: 'toString' },
    { body: '{' },
    { body: 'null' },
    { body: '{"__proto__":{"keyId":"k"}}' },
    { wallTime: 9e15 },
  ];
  const commands = sound.flatMap((command, nth) =>
    nth % 100 === 50
      ? [{ ...command, id: `bad-${nth}`, ...bad[Math.floor(nth / 100) % bad.length] }, command]
      : [command],
  );
  await append(commands, 700);
  const expected = initialControlState();
  const verdicts = commands.map((command) => reduceControl(expected, command));
  expect(verdicts.filter((verdict) => !verdict.ok).length).toBeGreaterThan(40);
  const warned: unknown[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warned.push(JSON.parse(line)) });
  const host = await openControlHost({ log: opened.log, codec: opened.codec, logger });
  expect(host.state).toEqual(expected);
  await host.close();
  expect(warned).toEqual([
    expect.objectContaining({ offset: 700, msg: 'a record of control.commands is no command; passed over' }),
  ]);
});

it('gives timers their turns while a host starts', async () => {
  await append([...mixedCommands(20_000)]);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const host = await openControlHost({ log: opened.log, codec: opened.codec, logger: pino({ level: 'silent' }) });
  clearInterval(timer);
  await host.close();
  expect(turns).toBeGreaterThan(10);
});
