/** `docs/reference.md` and the README's table, made from the declarations themselves. */
import { ROUTES } from '#query-api/routes/index';
import { ERRORS } from '#schemas/errors';
import { CHANNEL_KINDS } from '#schemas/stream/channel-kinds';
import { formatChannel } from '#schemas/stream/channel-names';
import { TABLES } from '#schemas/tables/index';
import { TOPICS } from '#schemas/topics/catalog';
import type { Retention } from '#schemas/topics/topic';
import { settingsTable } from '../../config/help.ts';
import { SETTINGS } from '../../config/settings.ts';
import { COMMANDS } from '../main.ts';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');

const RETENTION: Record<Retention['kind'], (retention: Retention) => string> = {
  raw: () => 'PARALLAX_RETENTION_DAYS and PARALLAX_RETENTION_GIB',
  derived: () => 'as raw topics',
  hours: (retention) => (retention.kind === 'hours' ? `${retention.hours} hours` : ''),
  compacted: () => 'newest of each key',
  forever: () => 'for good',
};

export function referencePage(): string {
  return `# Reference

Made by \`npm run docs\` from the declarations; do not edit.

## Commands

${table(
  ['command', 'what it does'],
  COMMANDS.map(({ name, summary }) => [`\`parallax ${name}\``, summary]),
)}

## Settings

${settingsTable(SETTINGS)}

## Routes

${table(
  ['route', 'scope', 'SKU', 'cached', 'what it gives'],
  ROUTES.map(({ method, path, scope, sku, cacheTtlMs, summary }) => [
    `\`${method} ${path}\``,
    scope ?? 'public',
    sku ?? 'none',
    cacheTtlMs > 0 ? `${cacheTtlMs / 1_000} s` : 'no',
    summary,
  ]),
)}

\`GET /metrics\` gives Prometheus metrics and \`GET /openapi.json\` the whole API as OpenAPI 3.1, both without a token.

## Errors

${table(
  ['code', 'status', 'meaning'],
  Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]),
)}

## Channels

${table(
  ['channel', 'topic', 'what it gives'],
  Object.values(CHANNEL_KINDS).map(({ example, writer, summary, delivering }) => [
    `\`${formatChannel(example)}\``,
    `\`derived.channels.${writer}\``,
    delivering ? summary : `${summary} Silent: nothing writes it yet.`,
  ]),
)}

## Topics

Besides these, every processor keeps \`state.<stage>\` and \`state.<stage>.cuts\`, and every input of a stage has \`dead.<topic>\`.

${table(
  ['topic', 'key', 'partitions', 'kept', 'table', 'what it holds'],
  TOPICS.map(({ name, key, partitions, retention, description, table: filled }) => [
    `\`${name}\``,
    key,
    String(partitions),
    RETENTION[retention.kind](retention),
    filled ? `\`${filled}\`` : '',
    description,
  ]),
)}

## Tables

${table(
  ['table', 'row', 'what it holds'],
  TABLES.map(({ name, orderBy, description }) => [`\`${name}\``, orderBy.join(', '), description]),
)}
`;
}

const BEGIN = '<!-- settings:begin (made by npm run docs) -->';
const END = '<!-- settings:end -->';

/** The README with its table of settings made anew. */
export function withSettingsTable(readme: string): string {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || to < from) throw new Error('README.md has lost the marks around its table of settings');
  return `${readme.slice(0, from + BEGIN.length)}\n${settingsTable(SETTINGS)}\n${readme.slice(to)}`;
}
