import type { ControlCommand } from '../../topics/control.ts';
import { type CommandType, refused, type Verdict } from './command.ts';
import { seedAdminKey } from './commands/seed-admin-key.ts';
import type { ControlState } from './state.ts';

/** Every sort of command. */
export const COMMAND_TYPES: ReadonlyMap<string, CommandType<unknown, unknown>> = new Map(
  [seedAdminKey].map((command) => [command.type, command as unknown as CommandType<unknown, unknown>]),
);

/** Decides one command, in log order. Pure: every node that has read as far has come to the same verdicts. */
export function reduceControl(state: ControlState, command: ControlCommand): Verdict {
  const type = COMMAND_TYPES.get(command.type);
  if (!type) return refused('bad_request', `unknown command ${command.type}`);
  let value: unknown;
  try {
    value = JSON.parse(command.body);
  } catch {
    return refused('bad_request', `the body of ${command.type} is no JSON`);
  }
  const parsed = type.body.safeParse(value);
  if (!parsed.success)
    return refused(
      'validation_failed',
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
    );
  return type.decide(state, parsed.data, { wallTime: command.wallTime });
}
