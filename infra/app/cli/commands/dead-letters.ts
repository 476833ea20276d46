import { redriveRaw } from '#ingest/publisher/redrive';
import type { StoredDeadLetter } from '#ingest/publisher/redrive-groups';
import { TOPICS } from '#schemas/topics/catalog';
import { deadLetterTopic } from '#schemas/topics/control';
import { readSettings, SettingError, switchSetting, textSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { LOG_SETTINGS, STORE_SETTINGS } from '../../../config/port-settings.ts';
import { SETTINGS } from '../../../config/settings.ts';
import { TOO_LARGE } from '../../../log/dead-letter.ts';
import { LogError } from '../../../log/log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import type { Command } from '../command.ts';
import { openPorts, type Ports } from '../ports.ts';

const DEAD_LETTER_SETTINGS = {
  ...LOG_SETTINGS,
  ...STORE_SETTINGS,
  venues: SETTINGS.venues,
  logLevel: { ...SETTINGS.logLevel, fallback: 'warn' },
  topic: textSetting({
    flag: 'topic',
    variable: 'PARALLAX_DEAD_LETTERS_TOPIC',
    fallback: null,
    accepts: 'a topic, as raw.venue_a.ws',
    pattern: /^[\w.-]+$/,
    description: 'List the dead letters of this topic only.',
  }),
  redrive: switchSetting({
    flag: 'redrive',
    variable: 'PARALLAX_DEAD_LETTERS_REDRIVE',
    fallback: false,
    description:
      'Append the records to the end of their raw topic and remove the dead letters. Needs --topic, and no running process with the role ingest.',
  }),
  json: switchSetting({
    flag: 'json',
    variable: 'PARALLAX_DEAD_LETTERS_JSON',
    fallback: false,
    description: 'Print one JSON object.',
  }),
};

/** Lists records that could not be processed. Redrives them once the cause is fixed. */
export const deadLetters: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run dead-letters -- [settings]\n\n${settingsHelp(DEAD_LETTER_SETTINGS)}`);
      return 0;
    }
    const { values } = readSettings(DEAD_LETTER_SETTINGS, argv, process.env);
    if (values.redrive && !values.topic?.startsWith('raw.'))
      throw new SettingError('--redrive needs --topic raw.…; to repair a derived topic, use npm run replay');
    const ports = await openPorts(values, { claim: false, logger: createLogger(values.logLevel) });
    try {
      const names = values.topic ? [values.topic] : TOPICS.map((topic) => topic.name);
      const found = (await Promise.all(names.map((name) => readDeadLetters(ports, name)))).flat();
      const listed = values.redrive ? await redrive(ports, values.topic!, found) : found;
      print(listed, values.json, values.redrive);
      return 0;
    } finally {
      await ports.close();
    }
  },
};

/** Reads the dead letters of a topic that were not redriven, oldest first. One that was written twice counts once. */
async function readDeadLetters({ log: events, codec }: Ports, name: string): Promise<StoredDeadLetter[]> {
  const topic = deadLetterTopic(name);
  await events.createTopics([topic]);
  await codec.prepare([topic]);
  const newest = new Map<string, StoredDeadLetter>();
  await readPartition(events, { topic: topic.name, partition: 0 }, ({ key, value }) => {
    if (value) newest.set(key, { key, deadLetter: codec.decode(topic, value) });
    else newest.delete(key);
  });
  return [...newest.values()];
}

/** Returns the dead letters whose records were appended again. */
async function redrive({ log: events }: Ports, topic: string, deadLetters: readonly StoredDeadLetter[]) {
  // The dead letter of a record that was too large stores only its first bytes.
  const complete = deadLetters.filter(({ deadLetter }) => deadLetter.reason !== TOO_LARGE);
  try {
    await redriveRaw(events, topic, complete);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log_locked') throw error;
    throw new SettingError(
      '--redrive needs the lease of the role ingest; stop every process with that role, then try again',
    );
  }
  return complete;
}

function print(deadLetters: readonly StoredDeadLetter[], json: boolean, redriven: boolean): void {
  const rows = deadLetters.map(({ deadLetter }) => ({
    ...deadLetter,
    value: deadLetter.value?.toString('utf8') ?? null,
  }));
  if (json) {
    console.log(JSON.stringify({ deadLetters: rows, redriven }));
    return;
  }
  for (const row of rows) {
    console.log(
      `${new Date(row.receivedAt).toISOString()} ${row.topic}/${row.partition}@${row.offset} ${row.stage}: ${row.reason}: ${row.detail}`,
    );
  }
  console.log(`${rows.length} dead letters${redriven ? ', redriven' : ''}`);
}
