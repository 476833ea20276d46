import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

const COMMAND_TIMEOUT_MS = 2_000;
const MINUTE_MS = 60_000;

/**
 * Identifies the boot of the operating system: another value means that the machine was restarted, and that data that
 * did not reach the disk is lost.
 */
export function bootId(): string {
  if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  if (process.platform === 'darwin')
    return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], {
      encoding: 'utf8',
      timeout: COMMAND_TIMEOUT_MS,
    }).trim();
  // The best approximation on other systems: the minute of the start.
  return `started-${Math.round((Date.now() - uptime() * 1_000) / MINUTE_MS)}`;
}
