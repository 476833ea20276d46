/** Arguments of the program, whether it runs compiled or through `testing/run-ts.mjs`. */
export function programArguments(): string[] {
  return process.argv.slice(import.meta.url.endsWith('.ts') ? 3 : 2);
}
