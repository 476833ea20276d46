import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { readSettings } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import { SETTINGS } from '../../../config/settings.ts';
import { timeLimit } from '../../../runtime/time-limit.ts';
import type { HealthReport } from '../../../telemetry/health.ts';
import type { Command } from '../command.ts';

const TIMEOUT_MS = 4_000;
/** Of an answer that is not a report, characters that are printed. */
const TEXT_MAX = 200;
const { host, httpPort } = SETTINGS;
const HEALTH_SETTINGS = { host, httpPort };

/** Exits with 0 if the process that listens on `--http-port` of this machine is ready, for health checks. */
export const health: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`parallax health [settings]\n\n${settingsHelp(HEALTH_SETTINGS)}`);
      return 0;
    }
    const { values } = readSettings(HEALTH_SETTINGS, argv, process.env);
    const reason = await unhealthyReason(`http://${reachable(values.host)}:${values.httpPort}/health`);
    if (reason !== null) console.error(reason);
    return reason === null ? 0 : 1;
  },
};

/** The address at which a process that listens on `host` is reached from the same machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Why the process is not ready; null if it is. */
async function unhealthyReason(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: timeLimit(TIMEOUT_MS) });
    if (response.status === 200) return null;
    const text = await response.text();
    return `${url} answers ${response.status}: ${reasonIn(text) ?? (text.slice(0, TEXT_MAX).replace(/\s+/g, ' ') || 'nothing')}`;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    return `${url} does not answer: ${cause?.message || message}`;
  }
}

/** The status and the parts that are not ready; null if the answer is not that of a process of Parallax. */
function reasonIn(text: string): string | null {
  const report = parseJsonOrNull(text) as Partial<HealthReport> | null;
  if (typeof report?.status !== 'string' || !report.parts) return null;
  const faults = Object.entries(report.parts).filter(([, state]) => state !== 'ready');
  return [report.status, ...faults.map((fault) => fault.join(': '))].join('; ');
}
