import { z } from 'zod';
import { WINDOWS, type Window } from '#schemas/domain/returns/series';

const NAME = `(?:${WINDOWS.join('|')})`;
const LIST = new RegExp(`^${NAME}(?:,${NAME})*$`);

/** A list of windows, each once, in the order of their lengths. */
export const windowsParameter = z
  .string()
  .regex(LIST, `must be a comma-separated list of ${WINDOWS.join(', ')}`)
  .transform((text): Window[] => WINDOWS.filter((window) => text.split(',').includes(window)))
  .default([...WINDOWS])
  .describe(`Comma-separated: ${WINDOWS.join(', ')}; all by default.`);
