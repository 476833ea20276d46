import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT_ROOT } from './sources.ts';

/** Before any test: builds once, so that tests which start the service as a process never build at the same time. */
export default function setup(): void {
  execFileSync(process.execPath, [join(PROJECT_ROOT, 'infra/cli/parallax.mjs'), 'help'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
