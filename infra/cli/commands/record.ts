import { resolve } from 'node:path';
import { openRecordingWriter } from '#ingest/recorder/write-recording';
import { type RawEnvelope, rawTopics } from '#schemas/topics/raw';
import { readSettings, SettingError, switchSetting, textSetting } from '../../config/declare.ts';
import { settingsHelp } from '../../config/help.ts';
import { SETTINGS } from '../../config/settings.ts';
import { partitionName } from '../../log/partition-name.ts';
import { MergedInput } from '../../stages/merge.ts';
import type { Command } from '../command.ts';
import { openForReading } from '../ports.ts';

const POLL_RECORDS = 2_048;
const POLL_TIMEOUT_MS = 250;
/** A record is written once nothing older can come; another process tells no watermarks, so this much time decides. */
const SETTLE_MS = 1_000;

/**
 * What is recorded from now on only. Answers are recorded as far back as they are kept: a recording without the catalogs
 * that the venues told before it began could not be read.
 */
const LIVE_TOPICS = new Set(['raw.venue_a.ws', 'raw.venue_b.clob_ws', 'raw.venue_b.rpc']);

const { dataDir, log, schemaRegistry, retentionDays } = SETTINGS;
const RECORD_SETTINGS = {
  dataDir,
  log,
  schemaRegistry,
  retentionDays,
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
    const source = await openForReading(values);
    const from = [];
    for (const topic of rawTopics.values()) {
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const { first, next } = await source.log.bounds({ topic: topic.name, partition });
        const whole = values.fromStart || !values.follow || !LIVE_TOPICS.has(topic.name);
        from.push({ topic: topic.name, partition, offset: whole ? first : next });
      }
    }
    /** Last offset of each partition that held something and is not read that far yet. */
    const behind = new Map<string, number>();
    for (const at of from) {
      const last = await source.log.last(at);
      if (last && last.offset >= at.offset) behind.set(partitionName(at), last.offset);
    }
    const reader = await source.log.reader(from);
    const writer = await openRecordingWriter(resolve(values.out));
    const merged = new MergedInput(from, (at, paused) => reader.pause(at, paused));
    let stopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stopping = true));
    while (!stopping && (values.follow || behind.size > 0)) {
      const batch = await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
      merged.push(batch);
      for (const at of batch.records) if (behind.get(partitionName(at)) === at.offset) behind.delete(partitionName(at));
      // One that is read to the end of what there was holds nothing back that is older than this.
      const watermark = values.follow ? Date.now() - SETTLE_MS : Number.POSITIVE_INFINITY;
      const settled = from.filter((at) => !behind.has(partitionName(at)));
      merged.push({ records: [], watermarks: settled.map((at) => ({ ...at, watermark })) });
      await write();
    }
    for (const at of from) merged.finish(at);
    await write();
    await reader.close();
    const { lines, skipped } = await writer.close();
    await source.close();
    for (const [name, count] of lines) console.log(`${name}: ${count} lines`);
    console.log(`${skipped} records left out, which were no JSON`);
    return 0;

    async function write(): Promise<void> {
      const ready: RawEnvelope[] = [];
      for (;;) {
        ready.length = 0;
        const taken = merged.take(POLL_RECORDS, ({ topic, value }) => {
          if (value) ready.push(source.codec.decode(rawTopics.get(topic)!, value));
        });
        if (taken === 0) return;
        await writer.write(ready);
      }
    }
  },
};
