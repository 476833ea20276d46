import { z } from 'zod';
import { SettingError } from '../../../config/declare.ts';

const text = z.string().nullish();
const label = z.object({
  kind: z.string(),
  underlying: text,
  threshold: z.number().nullish(),
  op: text,
  semantics: text,
  resolutionDate: text,
});
const title = z.object({
  id: z.string(),
  venue: z.string(),
  marketId: text,
  title: z.string().nullable(),
  subtitle: text,
  contextDate: text,
  description: text,
  rules: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  fields: z.record(z.string(), z.unknown()).nullish(),
  label: label.nullish(),
  notPriceBinary: text,
});
const file = z.object({
  titles: z.array(title),
  pairs: z.array(z.object({ a: z.string(), b: z.string(), match: z.boolean() })).optional(),
});

/** Titles with, for an evaluation, their expected labels and the pairs that ask the same question. */
export type TitlesFile = z.infer<typeof file>;
/** Expected label of a title: every part must be right. */
export type ExpectedLabel = z.infer<typeof label>;

/**
 * Parses the JSON of a titles file. `name` and `accepts` are used in the message of the `SettingError` if it is
 * invalid.
 */
export function parseTitles(name: string, json: string, accepts: string): TitlesFile {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new SettingError(`${name} cannot be read: ${(error as Error).message}; accepted: ${accepts}`);
  }
  const parsed = file.safeParse(value);
  if (parsed.success) {
    const ids = new Set<string>();
    for (const [nth, { id }] of parsed.data.titles.entries()) {
      if (ids.has(id))
        throw new SettingError(`${name}: titles.${nth}.id: duplicate id ${id}; accepted: a unique id for each title`);
      ids.add(id);
    }
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new SettingError(`${name}: ${issue?.path.join('.')}: ${issue?.message}`);
}
