import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { Terminal } from './terminal.ts';

const ERASE = '\r\x1b[2K';

function open(columns = 80) {
  const written: string[] = [];
  const terminal = new Terminal({ columns, write: (text) => written.push(text) });
  return { terminal, logger: createLogger('info', terminal), written };
}

describe('a terminal', () => {
  it('shows a line of the log as time, level, message and fields', () => {
    const { logger, written } = open();
    logger.warn({ stage: 'spreads', backlog: [{ records: 3 }] }, 'stages are behind');
    expect(written).toHaveLength(1);
    expect(written[0]!.slice(ERASE.length)).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}stages are behind stage=spreads backlog=\[\{"records":3\}\]\n$/,
    );
  });

  it('shows the reason of an error, and its stack only if the process ends with it', () => {
    const { logger, written } = open();
    const error = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    logger.error({ error }, 'could not read');
    logger.fatal({ error }, 'shutting down');
    expect(written[0]).toContain('ERROR could not read (ECONNREFUSED: connection refused)\n');
    expect(written[0]).not.toContain('terminal.test.ts');
    expect(written[1]).toContain('terminal.test.ts');
  });

  it('shows no secrets', () => {
    const { logger, written } = open();
    logger.info({ url: 'https://me:hunter2@host/', token: 'plx_live_x' }, 'connected');
    expect(written[0]).toContain('https://[redacted]@host/');
    expect(written[0]).not.toMatch(/hunter2|plx_live/);
  });

  it('draws the status again below each line, in one line of the screen, until it is removed', () => {
    const { terminal, logger, written } = open(10);
    terminal.status('starting: ingest');
    terminal.status('starting: ingest');
    logger.info('ready');
    terminal.status(null);
    expect(written[0]).toBe(`${ERASE}starting:`);
    expect(written[1]!.slice(ERASE.length)).toMatch(/^\S+ INFO {2}ready\nstarting:$/);
    expect(written.slice(2)).toEqual([ERASE]);
  });
});
