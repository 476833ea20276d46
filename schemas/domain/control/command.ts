import type { z } from 'zod';
import type { Decision } from './decision.ts';
import type { Actor } from './envelope.ts';
import type { ControlState } from './state.ts';

/** The time at which a command was appended. */
interface CommandTime {
  /** Unix ms by the clock of the node that appended it. */
  readonly wallTime: number;
  /** The same as ISO-8601. */
  readonly at: string;
}

interface CommandBase<B> {
  readonly type: string;
  /** Its name in the audit log. */
  readonly action: string;
  /** The schema of the arguments. It drops fields that it does not name, such as those of the envelope. */
  readonly body: z.ZodType<B>;
}

/** A type of command that only the service itself sends. */
export interface ServiceCommand<B, R> extends CommandBase<B> {
  readonly by: 'service';
  /** Pure; changes the state in place, and only when it accepts. */
  readonly decide: (state: ControlState, body: B, time: CommandTime) => Decision<R>;
}

/** A type of command that clients send. The reducer has checked that the key is active and, for `admin`, has that scope. */
export interface KeyCommand<B, R> extends CommandBase<B> {
  readonly by: 'key' | 'admin';
  /** Pure; changes the state in place, and only when it accepts. */
  readonly decide: (state: ControlState, body: B, time: CommandTime & { readonly actor: Actor }) => Decision<R>;
}

/** One type of command: its arguments and its pure decision. */
export type CommandType<B, R> = ServiceCommand<B, R> | KeyCommand<B, R>;
