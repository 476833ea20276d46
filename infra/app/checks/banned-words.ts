/** Finds words that the glossary replaces (`docs/glossary.md`) in names, comments, messages and pages. Pure. */

const EMIT =
  'emit (stage output), publish (topic or channel), send (socket), report (health, metrics), state or return';
/**
 * Each banned word, and what to write instead. `take`, `cut`, `land`, `beginning` and `holes` are not banned, although they
 * replaced terms once: what is left of them is plain English, or a name that clients and operators know
 * (`settlement.landed`, `parallax_trade_holes_total`).
 */
const BANNED: ReadonlyMap<string, string> = new Map([
  ...['tell', 'tells', 'telling', 'tellings', 'told'].map((word) => [word, EMIT] as const),
  ['untold', 'unpublished, unreported or missing'],
  ['letter', 'dead letter'],
  ['letters', 'dead letters'],
  ['kept', 'stored, retained, persisted or held'],
  ['had', 'held, acquired or owned, or the present tense'],
  ['news', 'notification, change or update'],
  ['heard', 'received'],
  ['wish', 'request'],
  ['wishes', 'requests'],
  ['said', 'stated, sent or reported'],
  ...['judge', 'judges', 'judged', 'judging'].map((word) => [word, 'evaluate'] as const),
  ['patience', 'timeout or retry policy'],
  ['lane', 'semaphore or queue'],
  ['lanes', 'semaphores or queues'],
  ['hole', 'gap or sequence gap'],
  ['pressed', 'paused'],
  ['attend', 'the verb of what is done'],
  ['standing', 'checkpoint, or fencing of a lease'],
]);

/** A place where a banned word means what it means in English and no word of the glossary fits. */
export interface WordException {
  /** Matches the words themselves; they are left out of the search. */
  readonly text: RegExp;
  /** The files in which it applies; all where it is left out. */
  readonly path?: RegExp;
  readonly reason: string;
}

export interface BannedWord {
  readonly path: string;
  /** From 1; 0 for a word in the path itself. */
  readonly line: number;
  readonly word: string;
  /** What to write instead. */
  readonly instead: string;
}

/**
 * Every banned word of a file, in its path and in its text. A camelCase or kebab-case name is searched part by part.
 */
export function bannedWords(path: string, text: string, exceptions: readonly WordException[] = []): BannedWord[] {
  const found = findIn(partsOf(path)).map((word) => ({ path, line: 0, ...word }));
  const texts = exceptions.filter((exception) => exception.path?.test(path) ?? true).map((exception) => exception.text);
  let before: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const parts = partsOf(texts.reduce((rest, text) => rest.replace(text, ' '), line));
    for (const word of findIn(parts, before)) found.push({ path, line: index + 1, ...word });
    before = parts.at(-1) ?? before;
  }
  return found;
}

/** `path:line: "word": write …`, as the test prints it. */
export function describeBannedWord({ path, line, word, instead }: BannedWord): string {
  return `${path}:${line}: "${word}": write ${instead}`;
}

/** Words and parts of names, in lower case. */
function partsOf(text: string): string[] {
  return text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((part) => part.toLowerCase()) ?? [];
}

/** @param before the last part of the previous line, since "dead letter" may span two lines. */
function findIn(parts: readonly string[], before?: string): Pick<BannedWord, 'word' | 'instead'>[] {
  return parts.flatMap((word, at) => {
    const instead = BANNED.get(word);
    const isDeadLetter = word.startsWith('letter') && (at === 0 ? before : parts[at - 1]) === 'dead';
    return instead === undefined || isDeadLetter ? [] : [{ word, instead }];
  });
}
