import { resolve } from 'node:path';
import { recordRaw } from '#ingest/recorder/record-raw';
import { openRecordingWriter, type WrittenRecording } from '#ingest/recorder/write-recording';
import { rawTopics } from '#schemas/topics/raw';
import { closeInReverse } from '../../closing.ts';
import { readSettings, SettingError, switchSetting, textSetting } from '../../config/declare.ts';
import { settingsHelp } from '../../config/help.ts';
import { SETTINGS } from '../../config/settings.ts';
import type { EventLog } from '../../log/log.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { Command } from '../command.ts';
import { openForReading } from '../ports.ts';

/**
 * What is recorded from now on only. Answers are recorded as far back as they are kept: a recording without the catalogs
 * that the venues told before it began could not be read.
 */
const LIVE_TOPICS = new Set(['raw.venue_a.ws', 'raw.venue_b.clob_ws', 'raw.venue_b.rpc']);

const { dataDir, log, schemaRegistry, retentionDays, logLevel } = SETTINGS;
const RECORD_SETTINGS = {
  dataDir,
  log,
  schemaRegistry,
  retentionDays,
  logLevel: { ...logLevel, fallback: 'warn' },
  out: textSetting({
    flag: 'out',
    variable: 'PARALLAX_RECORD_OUT',
    fallback: null,
    accepts: 'a folder',
    pattern: /^.+$/,
    meaning: 'Where the recording is written; files that are there are continued.',
  }),
  fromStart: switchSetting({
    flag: 'from-start',
    variable: 'PARALLAX_RECORD_FROM_START',
    fallback: false,
    meaning:
      'Begin with the oldest frame that is kept, rather than now; answers are always recorded as far back as kept.',
  }),
  follow: switchSetting({
    flag: 'follow',
    variable: 'PARALLAX_RECORD_FOLLOW',
    fallback: true,
    meaning: 'Go on until Ctrl-C; off ends at what the log holds now.',
  }),
};

/** Writes what the venues say to a running service as a recording that `--venues recording:<folder>` plays. */
export const record: Command = {
  name: 'record',
  summary: 'write a recording from a running service: --out <folder>',
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run record -- --out <folder>\n\n${settingsHelp(RECORD_SETTINGS)}`);
      return 0;
    }
    const { values } = readSettings(RECORD_SETTINGS, argv, process.env);
    if (!values.out) throw new SettingError('--out is missing; accepted: a folder');
    const ending = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
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
        from: await beginningsOf(source.log, (topic) => values.fromStart || !values.follow || !LIVE_TOPICS.has(topic)),
        until: values.follow ? 'signal' : 'end',
        signal: ending.signal,
        tellsWatermarks: values.log !== 'embedded',
      });
    } finally {
      await closeInReverse(closers);
      if (written) print(written);
    }
    return 0;
  },
};

/** Where to begin in every partition of the raw topics: with the oldest record of a topic that is `whole`, else now. */
async function beginningsOf(log: EventLog, whole: (topic: string) => boolean) {
  const beginnings = [];
  for (const topic of rawTopics.values()) {
    for (let partition = 0; partition < topic.partitions; partition += 1) {
      const { first, next } = await log.bounds({ topic: topic.name, partition });
      beginnings.push({ topic: topic.name, partition, offset: whole(topic.name) ? first : next });
    }
  }
  return beginnings;
}

function print({ lines, skipped }: WrittenRecording): void {
  for (const [name, count] of lines) console.log(`${name}: ${count} lines`);
  console.log(`${skipped} records left out, which were no JSON`);
}
