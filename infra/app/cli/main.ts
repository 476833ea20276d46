import { COMMANDS } from './command-list.ts';
import { endOnSignals } from './end-on-signal.ts';

/** Runs the command that the first argument names. Invalid arguments print one line and set exit code 2. */
export async function main(argv: readonly string[]): Promise<void> {
  const [name = 'help', ...rest] = argv;
  const found = COMMANDS.find((entry) => entry.name === name);
  if (!found) {
    const list = COMMANDS.map((entry) => `  ${entry.name.padEnd(14)} ${entry.summary}`).join('\n');
    const isHelp = name === 'help' || name === '--help';
    if (!isHelp)
      console.error(`parallax: unknown command ${name}; accepted: ${COMMANDS.map((entry) => entry.name).join(', ')}`);
    else console.log(`parallax <command> [--help]\n\n${list}`);
    process.exitCode = isHelp ? 0 : 2;
    return;
  }
  endOnSignals();
  try {
    const command = await found.load();
    process.exitCode = await command.run(rest);
  } catch (error) {
    const { exitCodeOf } = await import('./exit-code.ts');
    const code = exitCodeOf(error);
    if (code === null) throw error;
    console.error(`parallax ${name}: ${(error as Error).message}`);
    process.exitCode = code;
  }
}
