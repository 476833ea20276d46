import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unpackCommands } from '#schemas/domain/control/packed-commands';
import { readCommand } from '#schemas/domain/control/read-command';
import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import { mixedCommands } from '../bench/mixed-commands.ts';
import type { Codec } from '../codec/codec.ts';
import { openCodec } from '../codec/open-codec.ts';
import type { EventLog } from '../log/log.ts';
import { openLog } from '../log/open-log.ts';
import { type CompiledProgram, compileProgram } from '../testing/compile-program.ts';
import { openControlHost } from './control-host.ts';
import { type Ahead, COMMANDS, type LogAddress, readAhead } from './read-ahead.ts';

/** More than the fewest for which a host starts the thread. */
const MANY = 21_000;
const BATCH_RECORDS = 1_000;

let program: CompiledProgram;
let folder = '';
let address: LogAddress;
let log: EventLog;
let codec: Codec;
beforeAll(async () => {
  program = await compileProgram('infra/control/read-ahead-thread.ts');
});
afterAll(() => program.remove());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-read-ahead-'));
  address = { log: 'embedded', dataDir: folder, retentionDays: 30, schemaRegistry: null };
  log = await openLog(address);
  codec = await openCodec(address, log);
  await log.createTopics([commandTopic]);
  await codec.prepare([commandTopic]);
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Appends commands, with bytes that are no command before the one of this index. */
async function append(commands: readonly ControlCommand[], garbageAt = -1): Promise<void> {
  const records = commands.flatMap((command, index) => {
    const record = { ...COMMANDS, key: command.id, receivedAt: command.receivedAt, seq: 0 };
    const sound = { ...record, value: codec.encode(commandTopic, command) };
    return index === garbageAt ? [{ ...record, value: Buffer.from('garbage') }, sound] : [sound];
  });
  for (let at = 0; at < records.length; at += BATCH_RECORDS) await log.append(records.slice(at, at + BATCH_RECORDS));
}

async function readAll(options: { from?: number; program?: URL } = {}) {
  const batches: Ahead[] = [];
  const failures: unknown[] = [];
  const last = (await log.last(COMMANDS))!.offset;
  const onFailure = (error: unknown) => void failures.push(error);
  const ahead = readAhead({ address, from: options.from ?? 0, last }, { onFailure, program: options.program });
  for await (const batch of ahead) batches.push(batch);
  return { batches, failures, last };
}

describe('reading ahead', () => {
  it('gives every command once and in order, and tells what is none', async () => {
    const commands = [...mixedCommands(3_000)];
    await append(commands, 700);
    const { batches, failures, last } = await readAll({ from: 100, program: program.url });
    expect(failures).toEqual([]);
    expect(batches.flatMap(({ packed }) => unpackCommands(packed))).toEqual(commands.slice(100).map(readCommand));
    expect(batches.flatMap(({ faults }) => faults)).toEqual([
      { offset: 700, message: expect.stringContaining('wire') },
    ]);
    expect(batches.at(-1)!.position).toBe(last);
  });

  it('tells that it failed, with what it has given so far', async () => {
    await append([...mixedCommands(100)]);
    const { batches, failures } = await readAll({ program: new URL('file:///no/such/program.js') });
    expect(batches).toEqual([]);
    expect(failures).toHaveLength(1);
  });

  it('ends with whoever leaves the loop', async () => {
    await append([...mixedCommands(20_000)]);
    const call = { address, from: 0, last: (await log.last(COMMANDS))!.offset };
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => void failures.push(error);
    let taken = 0;
    for await (const { position } of readAhead(call, { onFailure, program: program.url })) {
      taken = position;
      break;
    }
    expect(taken).toBeLessThan(call.last);
    expect(failures).toEqual([]);
    // The log goes on without the thread that read along.
    await append([...mixedCommands(10)]);
    expect((await log.last(COMMANDS))!.offset).toBe(call.last + 10);
  });
});

describe('a host with very many commands to reduce', () => {
  it('comes to the same state whether they are read ahead or not, and when the thread fails', async () => {
    await append([...mixedCommands(MANY)], 15_000);
    const states = [];
    const told: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void told.push(JSON.parse(line).msg) });
    const passedOver = 'a record of control.commands is no command; passed over';
    for (const [ahead, expected] of [
      [{}, [passedOver]],
      [{ settings: address, aheadProgram: program.url }, [passedOver]],
      [
        { settings: address, aheadProgram: new URL('file:///no/such/program.js') },
        ['commands cannot be read ahead in a thread of their own; going on without', passedOver],
      ],
    ] as const) {
      const host = await openControlHost({ log, codec, logger, ...ahead });
      states.push(host.state);
      await host.close();
      expect(told.splice(0)).toEqual(expected);
    }
    expect(states[0]!.wallets.size).toBeGreaterThan(1_000);
    expect(states[1]).toEqual(states[0]);
    expect(states[2]).toEqual(states[0]);
  });
});
