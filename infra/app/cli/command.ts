/** A command of `parallax`: `npm run <name> -- …` is `parallax <name> …`. */
export interface Command {
  /** Resolves with the exit code. Rejects with `SettingError` for invalid arguments (exit code 2). */
  readonly run: (argv: readonly string[]) => Promise<number>;
}
