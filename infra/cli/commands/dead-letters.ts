import { TOPICS } from '#schemas/topics/catalog';
import { type DeadLetter, deadTopic } from '#schemas/topics/control';
import { readSettings, SettingError, switchSetting, textSetting } from '../../config/declare.ts';
import { settingsHelp } from '../../config/help.ts';
import { SETTINGS } from '../../config/settings.ts';
import { readPartition } from '../../log/read-partition.ts';
import type { Command } from '../command.ts';
import { openPorts, type Ports } from '../ports.ts';

const { dataDir, venues, log, store, schemaRegistry, retentionDays } = SETTINGS;
const DEAD_LETTER_SETTINGS = {
  dataDir,
  venues,
  log,
  store,
  schemaRegistry,
  retentionDays,
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
    meaning: 'Append the records to their raw topic again, at its end, and remove the letters. Needs --topic.',
  }),
  json: switchSetting({
    flag: 'json',
    variable: 'PARALLAX_DEAD_LETTERS_JSON',
    fallback: false,
    meaning: 'Print one JSON object.',
  }),
};

interface Letter {
  readonly key: string;
  readonly letter: DeadLetter;
}

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
    const ports = await openPorts(values, { claim: false });
    try {
      const names = values.topic ? [values.topic] : TOPICS.map((topic) => topic.name);
      const letters = (await Promise.all(names.map((name) => lettersOf(ports, name)))).flat();
      if (values.redrive) await redrive(ports, values.topic!, letters);
      print(letters, values.json, values.redrive);
      return 0;
    } finally {
      await ports.close();
    }
  },
};

/** The letters of a topic that were not driven again, oldest first; a letter told twice after a crash counts once. */
async function lettersOf({ log: events, codec }: Ports, name: string): Promise<Letter[]> {
  const topic = deadTopic(name);
  await events.createTopics([topic]);
  await codec.prepare([topic]);
  const letters = new Map<string, Letter>();
  await readPartition(events, { topic: topic.name, partition: 0 }, ({ key, value }) => {
    if (value) letters.set(key, { key, letter: codec.decode(topic, value) });
    else letters.delete(key);
  });
  return [...letters.values()];
}

async function redrive({ log: events }: Ports, topic: string, letters: readonly Letter[]): Promise<void> {
  // One record can have been refused by several stages; it is appended once.
  const records = new Map(letters.map(({ letter }) => [`${letter.partition}/${letter.offset}`, letter]));
  for (const { partition, key, value, receivedAt } of records.values()) {
    const last = await events.last({ topic, partition });
    await events.append([
      {
        topic,
        partition,
        key,
        value,
        receivedAt: Math.max(receivedAt, last?.receivedAt ?? 0),
        seq: (last?.seq ?? 0) + 1,
      },
    ]);
  }
  for (const { key, letter } of letters) {
    await events.append([
      { topic: deadTopic(topic).name, partition: 0, key, value: null, receivedAt: letter.receivedAt, seq: 0 },
    ]);
  }
}

function print(letters: readonly Letter[], json: boolean, redriven: boolean): void {
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
