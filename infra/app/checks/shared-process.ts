import { LONG } from '../../testing/longest-first.ts';
import { resolveImport, type SourceFile, sourceFiles } from './sources.ts';

/** What keeps process-wide state, as it stands in the text of a module: native packages, and mocked modules. */
const KEEPS_STATE = ["'chdb'", "'uWebSockets.js", "'playwright-core'", 'vi.mock('];
/** Paths of tests that need a process in any case: long ones, and those of locks that processes hold on a log. */
const OWN_PROCESS = [...LONG, 'infra/log/embedded/'];
/** Names of the modules that a file loads, without those of which it imports types alone. */
const LOADED = /(?:^(?:import|export)\s(?!type\s)[^;']*?\sfrom|^import|import\()\s*'([^']+)'/gm;

/**
 * Paths of the tests whose files share processes, which halves their run time: no module that they load, directly or
 * through others, keeps process-wide state.
 */
export function testsSharingProcesses(files: readonly SourceFile[] = sourceFiles()): string[] {
  const imports = new Map(
    files.map((file) => [file.path, [...file.text.matchAll(LOADED)].map(([, name]) => resolveImport(file, name!))]),
  );
  const keepsState = new Set(
    files.filter(({ text }) => KEEPS_STATE.some((part) => text.includes(part))).map(({ path }) => path),
  );
  const isShared = (test: string) => {
    const loaded = new Set([test]);
    // A set is iterated over what is added meanwhile, too.
    for (const path of loaded) {
      if (keepsState.has(path)) return false;
      for (const next of imports.get(path) ?? []) if (next !== null && imports.has(next)) loaded.add(next);
    }
    return true;
  };
  return files
    .map(({ path }) => path)
    .filter((path) => path.endsWith('.test.ts') && !OWN_PROCESS.some((part) => path.includes(part)))
    .filter(isShared);
}
