/** Standard error when it is a terminal: log lines for people, above one status line that is drawn again in place. */
import { readableLine } from './readable-line.ts';

/** Moves to the begin of the line and erases it. */
const ERASE_LINE = '\r\x1b[2K';

const COLUMNS = 80;

type Screen = Pick<NodeJS.WriteStream, 'columns'> & { write(text: string): unknown };

export class Terminal {
  private readonly screen: Screen;
  private statusText: string | null = null;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  /** Prints a line of the log, which is JSON. */
  write(line: string): void {
    this.print(readableLine(line));
  }

  /** Shows a status below the log; null removes it. */
  status(text: string | null): void {
    if (text === this.statusText) return;
    this.statusText = text;
    this.print('');
  }

  private print(text: string): void {
    // A status of two lines could not be erased again. Some terminals do not know their width.
    const status = this.statusText?.slice(0, (this.screen.columns || COLUMNS) - 1) ?? '';
    this.screen.write(`${ERASE_LINE}${text}${status}`);
  }
}

/** Null if standard error is no terminal: then the log consists of JSON lines, and there is no status. */
export const terminal = process.stderr.isTTY ? new Terminal(process.stderr) : null;
