import { RecordingError } from '#schemas/domain/recording';
import { RegistryMismatchError } from '../../codec/checked-registry.ts';
import { RegistryError } from '../../codec/confluent-registry.ts';
import { SettingError } from '../../config/declare.ts';
import { LogError } from '../../log/log.ts';
import { StateVersionError } from '../../stages/snapshots.ts';
import { TrimmedInputError } from '../../stages/start-position.ts';
import { StoreError } from '../../store/store.ts';
import { PartFailedError } from '../../telemetry/health.ts';
import type { Command } from './command.ts';
import { bench } from './commands/bench.ts';
import { deadLetters } from './commands/dead-letters.ts';
import { docs } from './commands/docs.ts';
import { freezeSchemasCommand } from './commands/freeze-schemas.ts';
import { makeSandbox } from './commands/make-sandbox.ts';
import { match } from './commands/match.ts';
import { record } from './commands/record.ts';
import { replay } from './commands/replay.ts';
import { restoreSchemas } from './commands/restore-schemas.ts';
import { simulator } from './commands/simulator.ts';
import { start } from './commands/start.ts';
import { watch } from './commands/watch.ts';
import { ReplayRefusedError } from './replay/replay-refused-error.ts';
import { StageThreadError } from './replay/threads/run-in-thread.ts';

/** Every command, in the order of `parallax help`. */
export const COMMANDS: readonly Command[] = [
  start,
  watch,
  replay,
  record,
  simulator,
  deadLetters,
  match,
  docs,
  restoreSchemas,
  freezeSchemasCommand,
  makeSandbox,
  bench,
];

/** Runs the command that the first argument names. Invalid arguments print one line and set exit code 2. */
export async function main(argv: readonly string[]): Promise<void> {
  const [name = 'help', ...rest] = argv;
  const command = COMMANDS.find((entry) => entry.name === name);
  if (!command) {
    const list = COMMANDS.map((entry) => `  ${entry.name.padEnd(14)} ${entry.summary}`).join('\n');
    const isHelp = name === 'help' || name === '--help';
    if (!isHelp)
      console.error(`parallax: unknown command ${name}; accepted: ${COMMANDS.map((entry) => entry.name).join(', ')}`);
    else console.log(`parallax <command> [--help]\n\n${list}`);
    process.exitCode = isHelp ? 0 : 2;
    return;
  }
  try {
    process.exitCode = await command.run(rest);
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === null) throw error;
    console.error(`parallax ${name}: ${(error as Error).message}`);
    process.exitCode = code;
  }
}

/** Exit code of an error that the operator can fix, of which only the message is printed; null for all others. */
function exitCodeOf(error: unknown): number | null {
  if (error instanceof SettingError) return 2;
  if (error instanceof LogError || error instanceof StoreError || error instanceof RecordingError) return 1;
  if (error instanceof RegistryError || error instanceof RegistryMismatchError || error instanceof PartFailedError)
    return 1;
  if (error instanceof TrimmedInputError || error instanceof StateVersionError) return 1;
  if (error instanceof ReplayRefusedError || error instanceof StageThreadError) return 1;
  return null;
}
