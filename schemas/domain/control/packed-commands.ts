/**
 * Many commands as one text that another thread hands over: to parse it costs about half of what reading them one by one
 * costs, and what is surely good is not checked again.
 */
import type { Refusal } from './command.ts';
import { COMMAND_TYPES } from './command-types.ts';
import { type CommandText, type ReadCommand, readCommand } from './read-command.ts';

/** A command that can be read: its body is a value where it is surely good, and the text that it was where zod decides. */
type Packed = Omit<CommandText, 'body'> & { readonly ok?: never; readonly body: object | string };

/** One text for the commands, in their order. */
export function packCommands(commands: readonly CommandText[]): string {
  return `[${commands.map(packCommand).join(',')}]`;
}

function packCommand(command: CommandText): string {
  const { id, wallTime, type, body } = command;
  const read = readCommand(command);
  if (!read.ok) return JSON.stringify(read);
  if (!read.isSurelyGood) return JSON.stringify({ id, wallTime, type, body });
  // It is JSON, so it stands in the text as it is.
  return `{"id":${JSON.stringify(id)},"wallTime":${wallTime},"type":"${type}","body":${body}}`;
}

/** What `readCommand` gives for each command of `packCommands`. */
export function unpackCommands(packed: string): (ReadCommand | Refusal)[] {
  return (JSON.parse(packed) as (Packed | Refusal)[]).map(unpackCommand);
}

function unpackCommand(packed: Packed | Refusal): ReadCommand | Refusal {
  if (packed.ok === false) return packed;
  const { id, wallTime, type, body } = packed;
  if (typeof body === 'string') return readCommand({ id, wallTime, type, body });
  return { ok: true, id, wallTime, type: COMMAND_TYPES.get(type)!, body, isSurelyGood: true };
}
