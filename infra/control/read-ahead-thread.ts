/** The program of the thread that reads commands ahead (`read-ahead.ts`). */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { packCommands } from '#schemas/domain/control/packed-commands';
import { type ControlCommand, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import { openCodec } from '../codec/open-codec.ts';
import type { LogRecord } from '../log/log.ts';
import { openLog } from '../log/open-log.ts';
import { readUntil } from '../log/read-until.ts';
import { decodeCommand } from './decode-command.ts';
import { type Ahead, type AheadCall, COMMANDS } from './read-ahead.ts';

/** About 200 KiB as text: enough that handing it over costs next to nothing, few enough to be young garbage afterwards. */
const BATCH_COMMANDS = 512;
/** Handed over and not taken yet. */
const BATCHES_AHEAD = 8;

const { address, from, last } = workerData as AheadCall;
const port = parentPort!;
const log = await openLog(address, { readOnly: true });
try {
  const codec = await openCodec(address, log);
  await codec.prepare([commandTopic]);
  let room = BATCHES_AHEAD;
  port.on('message', () => {
    room += 1;
  });
  for await (const records of readUntil(log, COMMANDS, { from, last, atOnce: BATCH_COMMANDS })) {
    // As long as it takes: whoever takes them ends this thread when it does no more.
    while (room === 0) await once(port, 'message');
    room -= 1;
    port.postMessage(await packRecords(codec, records));
  }
} finally {
  await log.close();
  port.close();
}

async function packRecords(codec: Codec, records: readonly LogRecord[]): Promise<Ahead> {
  const commands: ControlCommand[] = [];
  const faults: Ahead['faults'][number][] = [];
  let [position, receivedAt] = [0, 0];
  for (const record of records) {
    position = record.offset;
    receivedAt = Math.max(receivedAt, record.receivedAt);
    if (!record.value) continue;
    const decoded = decodeCommand(codec, record.value);
    const command = isUnknown(decoded) ? await learn(codec, record.value) : decoded;
    if (command instanceof CodecError) faults.push({ offset: record.offset, message: command.message });
    else commands.push(command);
  }
  return { packed: packCommands(commands), position, receivedAt, faults };
}

/** Decodes what was written with a schema that is not known here yet. Rejects when nobody knows it. */
async function learn(codec: Codec, value: Buffer): Promise<ControlCommand | CodecError> {
  await codec.learn(value);
  const command = decodeCommand(codec, value);
  if (isUnknown(command)) throw command;
  return command;
}

function isUnknown(decoded: ControlCommand | CodecError): boolean {
  return decoded instanceof CodecError && decoded.code === 'unknown_schema';
}
