import { type KeptLetter, redriveRaw } from '#ingest/publisher/redrive';
import { TOPICS } from '#schemas/topics/catalog';
import { deadTopic } from '#schemas/topics/control';
import { readSettings, SettingError, switchSetting, textSetting } from '../../config/declare.ts';
import { settingsHelp } from '../../config/help.ts';
import { SETTINGS } from '../../config/settings.ts';
import { TOO_LARGE } from '../../log/dead-letter.ts';
import { LogError } from '../../log/log.ts';
import { readPartition } from '../../log/read-partition.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { Command } from '../command.ts';
import { openPorts, type Ports } from '../ports.ts';

const { dataDir, venues, log, store, schemaRegistry, retentionDays, logLevel } = SETTINGS;
const DEAD_LETTER_SETTINGS = {
  dataDir,
  venues,
  log,
  store,
  schemaRegistry,
  retentionDays,
  logLevel: { ...logLevel, fallback: 'warn' },
  topic: textSetting({
    flag: 'topic',
    variable: 'PARALLAX_DEAD_LETTERS_TOPIC',
    fallback: null,
    accepts: 'a topic, as raw.venue_a.ws',
    pattern: /^[\w.-]+$/,
    meaning: 'Only the letters of this topic.',
  }),
  redrive: switchSetting({
    flag: 'redrive',
    variable: 'PARALLAX_DEAD_LETTERS_REDRIVE',
    fallback: false,
    meaning:
      'Append the records to their raw topic again, at its end, and remove the letters. Needs --topic, and that no process with the role ingest runs.',
  }),
  json: switchSetting({
    flag: 'json',
    variable: 'PARALLAX_DEAD_LETTERS_JSON',
    fallback: false,
    meaning: 'Print one JSON object.',
  }),
};

/** Lists what could not be processed, and puts it before the processors again once its cause is mended. */
export const deadLetters: Command = {
  name: 'dead-letters',
  summary: 'list records that could not be processed; --redrive --topic <topic> processes them again',
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run dead-letters -- [settings]\n\n${settingsHelp(DEAD_LETTER_SETTINGS)}`);
      return 0;
    }
    const { values } = readSettings(DEAD_LETTER_SETTINGS, argv, process.env);
    if (values.redrive && !values.topic?.startsWith('raw.'))
      throw new SettingError(
        '--redrive needs --topic raw.…; what is wrong in a derived topic is mended by npm run replay',
      );
    const ports = await openPorts(values, { claim: false, logger: createLogger(values.logLevel) });
    try {
      const names = values.topic ? [values.topic] : TOPICS.map((topic) => topic.name);
      const found = (await Promise.all(names.map((name) => lettersOf(ports, name)))).flat();
      const letters = values.redrive ? await redrive(ports, values.topic!, found) : found;
      print(letters, values.json, values.redrive);
      return 0;
    } finally {
      await ports.close();
    }
  },
};

/** The letters of a topic that were not driven again, oldest first; a letter told twice after a crash counts once. */
async function lettersOf({ log: events, codec }: Ports, name: string): Promise<KeptLetter[]> {
  const topic = deadTopic(name);
  await events.createTopics([topic]);
  await codec.prepare([topic]);
  const letters = new Map<string, KeptLetter>();
  await readPartition(events, { topic: topic.name, partition: 0 }, ({ key, value }) => {
    if (value) letters.set(key, { key, letter: codec.decode(topic, value) });
    else letters.delete(key);
  });
  return [...letters.values()];
}

/** Gives the letters whose records were put before the processors again. */
async function redrive({ log: events }: Ports, topic: string, letters: readonly KeptLetter[]) {
  // Of what was too large only the beginning is kept.
  const whole = letters.filter(({ letter }) => letter.reason !== TOO_LARGE);
  try {
    await redriveRaw(events, topic, whole);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log_locked') throw error;
    throw new SettingError(
      '--redrive writes as ingest does; accepted: only while no process with the role ingest runs',
    );
  }
  return whole;
}

function print(letters: readonly KeptLetter[], json: boolean, redriven: boolean): void {
  const rows = letters.map(({ letter }) => ({ ...letter, value: letter.value?.toString('utf8') ?? null }));
  if (json) {
    console.log(JSON.stringify({ deadLetters: rows, redriven }));
    return;
  }
  for (const row of rows) {
    console.log(
      `${new Date(row.receivedAt).toISOString()} ${row.topic}/${row.partition}@${row.offset} ${row.stage}: ${row.reason}: ${row.detail}`,
    );
  }
  console.log(`${rows.length} dead letters${redriven ? ', driven again' : ''}`);
}
