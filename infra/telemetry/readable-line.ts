/** Lines of the log for people. Pure. */

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
};

interface LoggedError {
  readonly message?: string;
  readonly code?: string;
  readonly stack?: string;
}

/**
 * Formats a line of the log for a terminal: time, level, message, then the other fields as `name=value`. An error
 * follows as its message and, if the process ends with it, its stack.
 *
 * @param line one JSON object, as the logger writes it.
 */
export function readableLine(line: string): string {
  const { level, time, msg, error, ...fields } = JSON.parse(line) as {
    level: number;
    time: string;
    msg?: string;
    error?: LoggedError;
  };
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
  const head = [time.slice(11, 23), LEVELS[level] ?? level, msg ?? '', ...parts, ...(error ? [reasonOf(error)] : [])];
  return `${head.join(' ')}${level === 60 && error?.stack ? `\n${error.stack}` : ''}\n`;
}

function reasonOf({ message, code }: LoggedError): string {
  return `(${[code, message].filter(Boolean).join(': ')})`;
}
