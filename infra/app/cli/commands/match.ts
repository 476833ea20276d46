import { readFile } from 'node:fs/promises';
import { matchTitles } from '#processors/events/match-titles';
import { readSettings, SettingError, switchSetting, textSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import type { Command } from '../command.ts';
import { evaluateMatches } from '../match/evaluate-matches.ts';
import { evaluatePairs } from '../match/evaluate-pairs.ts';
import { parseTitles } from '../match/titles-file.ts';

const MATCH_SETTINGS = {
  in: textSetting({
    flag: 'in',
    variable: 'PARALLAX_MATCH_IN',
    fallback: null,
    accepts: 'a JSON file {"titles": [{"id", "venue", "title", …}]}',
    pattern: /^.+$/,
    description: 'The titles to label and link.',
  }),
  evaluate: switchSetting({
    flag: 'evaluate',
    variable: 'PARALLAX_MATCH_EVALUATE',
    fallback: false,
    description:
      'Compare with the labels and pairs of the file; print how many are right, per kind, and which are wrong.',
  }),
  pairs: textSetting({
    flag: 'pairs',
    variable: 'PARALLAX_MATCH_PAIRS',
    fallback: null,
    accepts: 'a CSV file with verdict, family, venue_b_title, venue_c_ticker, …',
    pattern: /^.+$/,
    description:
      'With --evaluate: pairs of markets of two venues, each with the verdict whether they ask the same question.',
  }),
};

/** Runs the matcher without a service. Prints one JSON document, or with `--evaluate` a report. */
export const match: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(
        `npm run match -- --in titles.json [--evaluate] [--pairs pairs.csv]\n\n${settingsHelp(MATCH_SETTINGS)}`,
      );
      return 0;
    }
    const settings = readSettings(MATCH_SETTINGS, argv, process.env).values;
    if (!settings.in) throw new SettingError(`--in is missing; accepted: ${MATCH_SETTINGS.in.accepts}`);
    const text = await readText('--in', settings.in, MATCH_SETTINGS.in.accepts);
    const file = parseTitles(`--in ${settings.in}`, text, MATCH_SETTINGS.in.accepts);
    if (!settings.evaluate) {
      console.log(JSON.stringify(matchTitles(file.titles)));
      return 0;
    }
    console.log(evaluateMatches(file));
    if (settings.pairs) {
      console.log(evaluatePairs(await readText('--pairs', settings.pairs, MATCH_SETTINGS.pairs.accepts)));
    }
    return 0;
  },
};

async function readText(flag: string, file: string, accepts: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new SettingError(`${flag} ${file} cannot be read: ${(error as Error).message}; accepted: ${accepts}`);
  }
}
