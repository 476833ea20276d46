/** What a command says by itself, before any state is asked: work that may be done ahead and elsewhere. */
import type { ControlCommand } from '../../topics/control.ts';
import { type CommandType, type Refusal, refused } from './command.ts';
import { COMMAND_TYPES } from './command-types.ts';
import { envelopeSchema } from './envelope.ts';
import { type QuickCheck, quickCheckOf } from './quick-check.ts';

/** Beyond it a `Date` cannot be made. */
const WALL_TIME_MAX = 8_640_000_000_000_000;

/** What of a record counts. */
export type CommandText = Pick<ControlCommand, 'id' | 'wallTime' | 'type' | 'body'>;

/** A command whose type and time are known and whose body is JSON. */
export interface ReadCommand {
  readonly ok: true;
  readonly id: string;
  /** Unix ms. */
  readonly wallTime: number;
  readonly type: CommandType<unknown, unknown>;
  readonly body: unknown;
  /** The body is all that the schemas ask for. False: they have to be asked. */
  readonly isSurelyGood: boolean;
}

const isEnvelope = quickCheckOf(envelopeSchema);
const SURELY_GOOD: ReadonlyMap<string, QuickCheck> = new Map(
  Array.from(COMMAND_TYPES.values(), ({ type, by, body }) => {
    const isBody = quickCheckOf(body);
    return [type, by === 'service' ? isBody : (value) => isEnvelope(value) && isBody(value)];
  }),
);

/** Never throws, whatever the command holds. */
export function readCommand({ id, wallTime, type: name, body: text }: CommandText): ReadCommand | Refusal {
  const type = COMMAND_TYPES.get(name);
  if (!type) return refused('bad_request', `unknown command ${name}`);
  if (!(Math.abs(wallTime) <= WALL_TIME_MAX)) return refused('bad_request', 'wallTime: is no time');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return refused('bad_request', `the body of ${name} is no JSON`);
  }
  return { ok: true, id, wallTime, type, body, isSurelyGood: SURELY_GOOD.get(name)!(body) };
}
