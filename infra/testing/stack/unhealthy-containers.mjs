// Says why containers of the stack are not healthy, after a check has failed: their logs are removed with them.
import { hideSecrets } from './checks/logged-secrets.mjs';
import { containers, docker, lines, logOf } from './stack-client.mjs';

const LOG_LINES = 30;
/** Characters of a line: the rest of a long list of problems explains nothing. */
const LINE_LENGTH = 500;

/** For each container that does not run or is not healthy: its state, its last health checks, and the end of its log. */
export const describeUnhealthy = () => hideSecrets(containers('--all').flatMap(describe).join('\n'));

function describe(name) {
  const state = JSON.parse(docker('inspect', '--format', '{{json .State}}', name));
  const { Status: status, ExitCode: exitCode, Health: health } = state;
  if (status === 'running' && health?.Status === 'healthy') return [];
  const checks = (health?.Log ?? []).map(
    ({ Start: at, ExitCode: code, Output: output }) => `  ${at} exit code ${code}: ${output.trim()}`,
  );
  return [
    `${name}: ${status}${status === 'running' ? '' : ` with exit code ${exitCode}`}, ${health?.Status ?? 'no health'}`,
    'health checks:',
    ...checks.map(shorten),
    'log:',
    ...lines(logOf(name))
      .slice(-LOG_LINES)
      .map((line) => shorten(`  ${line}`)),
  ];
}

const shorten = (line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line);
