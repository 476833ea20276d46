import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { matchTitles } from '#processors/events/match-titles';
import { readSettings, SettingError, textSetting } from '../../config/declare.ts';
import { settingsHelp } from '../../config/help.ts';
import type { Command } from '../command.ts';

const MATCH_SETTINGS = {
  in: textSetting({
    flag: 'in',
    variable: 'PARALLAX_MATCH_IN',
    fallback: null,
    accepts: 'a JSON file {"titles": [{"id", "venue", "title", …}]}',
    pattern: /^.+$/,
    meaning: 'The titles to label and link.',
  }),
};

const text = z.string().nullish();
const input = z.object({
  titles: z.array(
    z.object({
      id: z.string(),
      venue: z.string(),
      marketId: text,
      title: z.string().nullable(),
      subtitle: text,
      contextDate: text,
      description: text,
      rules: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
      fields: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});

/** The matcher alone, no service needed: one JSON document on standard output and nothing else. */
export const match: Command = {
  name: 'match',
  summary: 'label and link the titles of a file with the matcher alone',
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run match -- --in titles.json\n\n${settingsHelp(MATCH_SETTINGS)}`);
      return 0;
    }
    const file = readSettings(MATCH_SETTINGS, argv, process.env).values.in;
    if (!file) throw new SettingError(`--in is missing; accepted: ${MATCH_SETTINGS.in.accepts}`);
    const { titles } = await readTitles(file);
    console.log(JSON.stringify(matchTitles(titles)));
    return 0;
  },
};

async function readTitles(file: string): Promise<z.infer<typeof input>> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new SettingError(
      `--in ${file} cannot be read: ${(error as Error).message}; accepted: ${MATCH_SETTINGS.in.accepts}`,
    );
  }
  const parsed = input.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingError(`--in ${file}: ${issue?.path.join('.')}: ${issue?.message}`);
}
