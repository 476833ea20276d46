import { SingleBar } from 'cli-progress';
import { readSettings, SettingError, switchSetting, textSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { BENCH_NAMES, BENCHES } from '../../bench/benches.ts';
import { inProcess } from '../../bench/in-process.ts';
import { describeMachine, tableOf } from '../../bench/report.ts';
import { runBenches } from '../../bench/run-benches.ts';
import type { Command } from '../command.ts';

const BAR_STEPS = 1_000;

const BENCH_SETTINGS = {
  only: textSetting({
    flag: 'only',
    variable: 'PARALLAX_BENCH_ONLY',
    fallback: null,
    accepts: BENCH_NAMES.join(', '),
    pattern: new RegExp(`^(${BENCH_NAMES.join('|')})$`),
    description: 'Runs only the benchmark that measures this figure.',
  }),
  json: switchSetting({
    flag: 'json',
    variable: 'PARALLAX_BENCH_JSON',
    fallback: false,
    description: 'Print one JSON object: the machine, and each result with its baseline and ratio.',
  }),
};

/** Measures speed against bare baselines, in alternating rounds. It needs no running service and leaves no files. */
export const bench: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run bench -- [settings]\n\n${settingsHelp(BENCH_SETTINGS)}`);
      return 0;
    }
    const { values, positionals: rest } = readSettings(BENCH_SETTINGS, argv, process.env);
    if (rest.length > 0)
      throw new SettingError(`unexpected argument ${JSON.stringify(rest[0])}; --help lists every setting`);
    const bar = process.stderr.isTTY ? startBar() : null;
    try {
      const onProgress = (names: string, share: number) => bar?.update(Math.round(share * BAR_STEPS), { names });
      const results = await runBenches({ benches: BENCHES.map(inProcess), only: values.only, onProgress });
      bar?.stop();
      const report = { machine: describeMachine(), results };
      const aims = Object.assign({}, ...BENCHES.map((entry) => entry.aims));
      console.log(values.json ? JSON.stringify(report) : tableOf(report, aims));
      return 0;
    } finally {
      bar?.stop();
    }
  },
};

function startBar(): SingleBar {
  const format = 'bench [{bar}] {percentage}% | {names}';
  const bar = new SingleBar({ stream: process.stderr, format, hideCursor: true });
  bar.start(BAR_STEPS, 0, { names: '' });
  return bar;
}
