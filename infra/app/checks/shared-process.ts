import { LONG } from '../../testing/longest-first.ts';
import { resolveImport, type SourceFile, sourceFiles } from './sources.ts';

/** What keeps process-wide state, as it stands in the text of a module: browsers, and mocked modules. */
const KEEPS_STATE = ["'playwright-core'", 'vi.mock('];
/** A module that sets up tests when it is loaded: in a shared process, it does so for the first file that loads it only. */
const SETS_UP = /^(?:before|after)(?:Each|All)\(/m;
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
    files
      .filter(({ path, text }) => {
        const setsUp = !path.endsWith('.test.ts') && SETS_UP.test(text);
        return setsUp || KEEPS_STATE.some((part) => text.includes(part));
      })
      .map(({ path }) => path),
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
