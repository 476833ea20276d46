import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies the folder of an open log as the next process finds it if the writer crashes now. A thread of the writer may be
 * removing files of the journal meanwhile, which are no longer needed: those are left out.
 */
export function copyLog(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyLog(source, target);
    else copyUnlessRemoved(source, target);
  }
}

function copyUnlessRemoved(source: string, target: string): void {
  try {
    copyFileSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
