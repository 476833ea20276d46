import { resolve } from 'node:path';
import { RECORDABLE_TOPICS, recordRaw } from '#ingest/recorder/record-raw';
import { openRecordingWriter, type WrittenRecording } from '#ingest/recorder/write-recording';
import { readPartPlace } from '#schemas/domain/export-parts';
import { EXPORT_TOPICS, FRAME_TOPICS, rawTopics } from '#schemas/topics/raw';
import type { Codec } from '../../../codec/codec.ts';
import { readSettings, SettingError, switchSetting, textSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { LOG_SETTINGS } from '../../../config/port-settings.ts';
import { SETTINGS } from '../../../config/settings.ts';
import type { EventLog, TopicPartition } from '../../../log/log.ts';
import { closeInReverse } from '../../../runtime/closing.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import type { Command } from '../command.ts';
import { openForReading } from '../ports.ts';

const RECORD_SETTINGS = {
  ...LOG_SETTINGS,
  logLevel: { ...SETTINGS.logLevel, fallback: 'warn' },
  out: textSetting({
    flag: 'out',
    variable: 'PARALLAX_RECORD_OUT',
    fallback: null,
    accepts: 'a folder',
    pattern: /^.+$/,
    description: 'Folder for the recording; existing files are appended to.',
  }),
  fromStart: switchSetting({
    flag: 'from-start',
    variable: 'PARALLAX_RECORD_FROM_START',
    fallback: false,
    description:
      'Start with the oldest frame that is stored, instead of now. Answers always start with the oldest one that is stored, exports with the newest one.',
  }),
  follow: switchSetting({
    flag: 'follow',
    variable: 'PARALLAX_RECORD_FOLLOW',
    fallback: true,
    description:
      'Record until Ctrl-C; off stops at the current end of the log, and starts with the oldest frame, as --from-start does.',
  }),
};

/** Writes what a running service receives from venues as a recording, which `--venues recording:<folder>` plays. */
export const record: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run record -- --out <folder>\n\n${settingsHelp(RECORD_SETTINGS)}`);
      return 0;
    }
    const { values } = readSettings(RECORD_SETTINGS, argv, process.env);
    if (!values.out) throw new SettingError('--out is missing; accepted: a folder');
    const stopping = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
    const source = await openForReading(values, createLogger(values.logLevel));
    const closers = [() => source.close()];
    let written: WrittenRecording | null = null;
    try {
      const writer = await openRecordingWriter(resolve(values.out));
      closers.push(async () => {
        written = await writer.close();
      });
      await recordRaw({
        ...source,
        writer,
        from: await startPositions(source, values.fromStart || !values.follow),
        until: values.follow ? 'signal' : 'end',
        signal: stopping.signal,
        hasWatermarks: values.log !== 'embedded',
      });
    } finally {
      await closeInReverse(closers);
      if (written) print(written);
    }
    return 0;
  },
};

/**
 * Start position of each partition: its oldest record with `isFromStart`. Otherwise frames and changes of connections start
 * at the end, answers with the oldest record, and exports with the newest one.
 */
async function startPositions({ log, codec }: { log: EventLog; codec: Codec }, isFromStart: boolean) {
  const positions = [];
  for (const topic of RECORDABLE_TOPICS.values()) {
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      const at = { topic: topic.name, partition };
      const { first, next } = await log.bounds(at);
      let offset = first;
      if (!isFromStart && (FRAME_TOPICS.has(topic.name) || !rawTopics.has(topic.name))) offset = next;
      if (!isFromStart && EXPORT_TOPICS.has(topic.name)) offset = await newestExport(log, codec, at);
      positions.push({ ...at, offset });
    }
  }
  return positions;
}

/** Offset of the first part of the newest export, or the first one that is stored. */
async function newestExport(log: EventLog, codec: Codec, at: TopicPartition): Promise<number> {
  const [{ first }, newest] = [await log.bounds(at), await log.last(at)];
  if (!newest?.value) return first;
  await codec.fetchSchema(newest.value);
  const { payload } = codec.decode(rawTopics.get(at.topic)!, newest.value);
  return Math.max(first, newest.offset - readPartPlace(payload).index);
}

function print({ lines, skipped }: WrittenRecording): void {
  for (const [name, count] of lines) console.log(`${name}: ${count} lines`);
  console.log(`${skipped} records skipped because they are not JSON`);
}
