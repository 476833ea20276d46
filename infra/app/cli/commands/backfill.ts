import { KLINE_COINS, KLINE_INTERVALS } from '#schemas/venues/venue-a/klines';
import {
  choiceListSetting,
  integerSetting,
  readSettings,
  SettingError,
  switchSetting,
} from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { LOG_SETTINGS } from '../../../config/port-settings.ts';
import { BACKFILL_DAYS_MAX, SETTINGS } from '../../../config/settings.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { type BackfillResult, backfillCandles } from '../backfill/backfill-candles.ts';
import { showProgress } from '../backfill/show-progress.ts';
import type { Command } from '../command.ts';

const BACKFILL_SETTINGS = {
  ...LOG_SETTINGS,
  venues: SETTINGS.venues,
  simSeed: SETTINGS.simSeed,
  externalExchangeUrl: SETTINGS.externalExchangeUrl,
  logLevel: { ...SETTINGS.logLevel, fallback: 'warn' },
  coins: choiceListSetting({
    flag: 'coins',
    variable: 'PARALLAX_BACKFILL_COINS',
    fallback: KLINE_COINS,
    words: KLINE_COINS,
    description: 'Coins to load.',
  }),
  intervals: choiceListSetting({
    flag: 'intervals',
    variable: 'PARALLAX_BACKFILL_INTERVALS',
    fallback: KLINE_INTERVALS,
    words: KLINE_INTERVALS,
    description: 'Lengths of the candles to load; four hours and days are joined from 1h.',
  }),
  days: integerSetting({
    flag: 'days',
    variable: 'PARALLAX_BACKFILL_DAYS',
    fallback: 730,
    min: 1,
    max: BACKFILL_DAYS_MAX,
    description: 'Days before now to load.',
  }),
  json: switchSetting({
    flag: 'json',
    variable: 'PARALLAX_BACKFILL_JSON',
    fallback: false,
    description: 'Print `{requests, bars}` of this run as one JSON object, and nothing else.',
  }),
};

/** Loads candles of the external exchange into the log. What a run loaded, no later one requests again. */
export const backfill: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`npm run backfill -- candles [settings]\n\n${settingsHelp(BACKFILL_SETTINGS)}`);
      return 0;
    }
    const { values, positionals } = readSettings(BACKFILL_SETTINGS, argv, process.env);
    const [what, ...others] = positionals;
    if (what !== 'candles' || others.length > 0)
      throw new SettingError(`cannot load ${JSON.stringify(positionals.join(' '))}; accepted: candles`);
    for (const [name, list] of Object.entries({ coins: values.coins, intervals: values.intervals }))
      if (list.length === 0)
        throw new SettingError(`--${name} cannot be empty; accepted: ${BACKFILL_SETTINGS[name as 'coins'].accepts}`);
    const stopping = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
    const progress = showProgress(process.stderr, values.json);
    try {
      const result = await backfillCandles(values, {
        logger: createLogger(values.logLevel),
        signal: stopping.signal,
        onProgress: progress.update,
      });
      progress.stop();
      return report(result, values.json);
    } catch (error) {
      progress.stop();
      if (!stopping.signal.aborted) throw error;
      console.error('parallax backfill: interrupted; the next run continues from here');
      return 1;
    }
  },
};

function report({ requests, bars, unknownCoins }: BackfillResult, json: boolean): number {
  console.log(json ? JSON.stringify({ requests, bars }) : `${requests} requests, ${bars} bars stored`);
  for (const coin of unknownCoins)
    console.error(`parallax backfill: the exchange does not know ${coin}; it was skipped`);
  return unknownCoins.length === 0 ? 0 : 1;
}
