import { readFileSync } from 'node:fs';
import { decodeUrl, parseUrl } from '../runtime/parse-url.ts';

/** A setting, declared once: its flag, variable, default, accepted values and description come from here. */
export interface Setting<T> {
  /** Command-line flag without the dashes; null if only the environment can set it. */
  readonly flag: string | null;
  /** Environment variable; null if only the flag can set it. */
  readonly variable: string | null;
  /** The default as text, shown in `--help` and parsed if no value is given; null if there is none. */
  readonly fallback: string | null;
  /** Accepted values, as text for operators. */
  readonly accepts: string;
  /** One sentence. */
  readonly description: string;
  /** Parses the text, or throws a `SettingError` without the setting's name, which the caller adds. */
  readonly read: (text: string) => T;
  /** Never shown in logs. It can also be given as a file, whose path is in `<variable>_FILE`. */
  readonly secret?: boolean;
  /** The flag may stand alone, which means on. */
  readonly isSwitch?: boolean;
}

/** The names under which a setting can be given. */
export function settingNames({ flag, variable, secret }: Setting<unknown>): string[] {
  return [
    ...(flag ? [`--${flag}`] : []),
    ...(variable ? [variable] : []),
    ...(variable && secret ? [fileVariable(variable)] : []),
  ];
}

/** The variable with the path of a file that contains a secret. */
function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

/** An invalid setting. The message is one line with the setting's name and the accepted values. */
export class SettingError extends Error {
  override name = 'SettingError';
}

interface Common {
  readonly flag?: string | null;
  readonly variable: string;
  readonly description: string;
  readonly secret?: boolean;
}

function reject(text: string): never {
  throw new SettingError(`cannot be ${JSON.stringify(text)}`);
}

/** An integer within bounds, both inclusive. */
export function integerSetting(common: Common & { fallback: number; min: number; max: number }): Setting<number>;
export function integerSetting(common: Common & { fallback: null; min: number; max: number }): Setting<number | null>;
export function integerSetting(
  common: Common & { fallback: number | null; min: number; max: number },
): Setting<number | null> {
  return {
    ...common,
    flag: common.flag ?? null,
    fallback: common.fallback === null ? null : String(common.fallback),
    accepts: `an integer from ${common.min} to ${common.max}`,
    read(text) {
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < common.min || value > common.max) reject(text);
      return value;
    },
  };
}

/** Free text, checked by a pattern. */
export function textSetting(common: Common & { fallback: string; accepts: string; pattern: RegExp }): Setting<string>;
export function textSetting(
  common: Common & { fallback: null; accepts: string; pattern: RegExp },
): Setting<string | null>;
export function textSetting(
  common: Common & { fallback: string | null; accepts: string; pattern: RegExp },
): Setting<string | null> {
  return {
    ...common,
    flag: common.flag ?? null,
    read: (text) => (common.pattern.test(text) ? text : reject(text)),
  };
}

/** One of a fixed set of words. */
export function choiceSetting<const W extends readonly string[]>(
  common: Common & { fallback: W[number]; words: W },
): Setting<W[number]> {
  return {
    ...common,
    flag: common.flag ?? null,
    accepts: common.words.join(', '),
    read: (text) => (common.words.includes(text) ? text : reject(text)),
  };
}

/** A comma-separated list of words of a fixed set; repeats are dropped. */
export function choiceListSetting<const W extends readonly string[]>(
  common: Common & { fallback: readonly W[number][]; words: W },
): Setting<readonly W[number][]> {
  return {
    ...common,
    flag: common.flag ?? null,
    fallback: common.fallback.join(','),
    accepts: `a comma-separated list of ${common.words.join(', ')}`,
    read(text) {
      const chosen = text === '' ? [] : text.split(',').map((word) => word.trim());
      if (chosen.some((word) => !common.words.includes(word))) reject(text);
      return [...new Set(chosen)];
    },
  };
}

const ON_WORDS = ['1', 'true', 'on'];
const OFF_WORDS = ['0', 'false', 'off'];

/** A switch: 1/0, true/false, on/off. */
export function switchSetting(
  common: Omit<Common, 'variable'> & { variable: string | null; fallback: boolean },
): Setting<boolean> {
  return {
    ...common,
    flag: common.flag ?? null,
    fallback: common.fallback ? 'on' : 'off',
    accepts: '1/0, true/false, on/off',
    isSwitch: true,
    read(text) {
      const word = text.toLowerCase();
      if (ON_WORDS.includes(word)) return true;
      return OFF_WORDS.includes(word) ? false : reject(text);
    },
  };
}

/** An absolute URL with one of the given schemes. */
export function urlSetting(
  common: Common & { fallback: string | null; schemes: readonly string[] },
): Setting<string | null> {
  return {
    ...common,
    flag: common.flag ?? null,
    accepts: `a URL beginning with ${common.schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    read(text) {
      const url = parseUrl(text);
      if (!url || !decodeUrl(url) || !common.schemes.includes(url.protocol.slice(0, -1))) reject(text);
      return text;
    },
  };
}

/** Text that `parse` converts to a value; the message of what it throws is part of the `SettingError`. */
export function parsedSetting<T>(
  common: Common & { fallback: string; accepts: string; parse: (text: string) => T },
): Setting<T> {
  const { parse, ...others } = common;
  return {
    ...others,
    flag: common.flag ?? null,
    read(text) {
      try {
        return parse(text);
      } catch (error) {
        throw new SettingError(`is invalid: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

/** An exact decimal, stored as text. */
export function decimalSetting(common: Common & { fallback: string }): Setting<string> {
  return textSetting({ ...common, accepts: 'a decimal number, such as 0.0007', pattern: /^\d+(\.\d+)?$/ });
}

/** A decimal above zero, stored as text. */
export function positiveDecimalSetting(common: Common & { fallback: string }): Setting<string> {
  return textSetting({ ...common, accepts: 'a decimal number above zero', pattern: /^(?=.*[1-9])\d+(\.\d+)?$/ });
}

type Values<D extends Record<string, Setting<unknown>>> = {
  readonly [K in keyof D]: D[K] extends Setting<infer T> ? T : never;
};
/** The settings and the arguments that are no flags. */
export interface ReadSettings<D extends Record<string, Setting<unknown>>> {
  readonly values: Values<D>;
  readonly positionals: readonly string[];
}

/**
 * Reads flags (`--flag value` or `--flag=value`, a switch may stand alone), then variables or the files of secrets, then
 * defaults. Unknown flags are refused, unknown `PARALLAX_…` variables are ignored. `positionals` holds arguments that are
 * no flags. Throws a `SettingError`.
 */
export function readSettings<D extends Record<string, Setting<unknown>>>(
  declarations: D,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ReadSettings<D> {
  const byFlag = new Map(
    Object.entries(declarations).flatMap(([name, s]) => (s.flag ? [[s.flag, name] as const] : [])),
  );
  const fromFlags = new Map<string, string>();
  const positionals: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (!word.startsWith('--')) {
      positionals.push(word);
      continue;
    }
    const [flag = '', inline] = splitOnce(word.slice(2), '=');
    const name = byFlag.get(flag);
    if (!name) throw new SettingError(`unknown flag --${flag}; --help lists every setting`);
    const { isSwitch = false, accepts } = declarations[name]!;
    const next = argv[at + 1];
    const takesNext = next !== undefined && !next.startsWith('--') && (!isSwitch || isSwitchWord(next));
    if (inline !== undefined) fromFlags.set(name, inline);
    else if (takesNext) {
      fromFlags.set(name, next);
      at += 1;
    } else if (isSwitch) fromFlags.set(name, 'on');
    else throw new SettingError(`--${flag} needs a value: ${accepts}`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(declarations)) {
    const given = fromFlags.has(name)
      ? { label: `--${setting.flag}`, text: fromFlags.get(name)! }
      : fromEnvironment(setting, environment);
    const text = given?.text ?? setting.fallback;
    try {
      values[name] = text === null ? null : setting.read(text);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      const label = given?.label ?? setting.variable;
      throw new SettingError(
        `${label} ${setting.secret ? 'has an invalid value' : error.message}; accepted: ${setting.accepts}`,
      );
    }
  }
  return { values: values as Values<D>, positionals };
}

/** The text of a setting's variable or of a secret's file, and the name of the variable; null if neither is set. */
function fromEnvironment(
  { variable, secret }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly label: string; readonly text: string } | null {
  if (variable === null) return null;
  const text = environment[variable];
  const label = fileVariable(variable);
  const path = secret ? environment[label] : undefined;
  if (path === undefined) return text === undefined ? null : { label: variable, text };
  if (text !== undefined) throw new SettingError(`${variable} and ${label} are both set; accepted: one of them`);
  try {
    // Editors end a file with a newline, which is no part of the secret.
    return { label, text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(`${label} cannot be read (${code}): ${path}; accepted: the path of a file`);
  }
}

function isSwitchWord(text: string): boolean {
  return [...ON_WORDS, ...OFF_WORDS].includes(text.toLowerCase());
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}
