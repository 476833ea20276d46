import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTestLog } from '../control/open-test-log.fixture.ts';
import { delegatingLog } from '../log/delegating-log.ts';
import { LogError } from '../log/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { openNodeReports } from './node-reports.ts';

async function openTwoNodes() {
  const { log, codec, close } = await openTestLog();
  const open = (node: string, roles: readonly ('ingest' | 'query-api')[]) => {
    const metrics = createMetrics();
    // Another log object, as in another process.
    const own = delegatingLog(log, {});
    const settings = { node, roles: [...roles] };
    return openNodeReports({ log: own, codec, logger: pino({ enabled: false }), metrics, settings });
  };
  const reports = [await open('b', ['ingest']), await open('a', ['query-api'])] as const;
  onTestFinished(async () => {
    for (const one of reports) await one.close();
    await close();
  });
  return reports;
}

it('every node knows what each of them reported, until it reports no more', async () => {
  const reports = await openTwoNodes();
  for (const one of reports)
    await expect
      .poll(() => one.current().map(({ node, roles }) => [node, roles]))
      .toEqual([
        ['a', ['query-api']],
        ['b', ['ingest']],
      ]);
  await reports[0].close();
  const later = performance.now() + 5_001;
  vi.spyOn(performance, 'now').mockReturnValue(later);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(reports[1].current()).toEqual([]);
});

it('a report that the log refuses is logged once, and the node goes on', async () => {
  const { log, codec, close } = await openTestLog();
  onTestFinished(close);
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const append = () => Promise.reject(new LogError('log_full', 'the disk is full'));
  const refusing = delegatingLog(log, { append });
  const settings = { node: 'a', roles: [] };
  const reports = await openNodeReports({ log: refusing, codec, logger, metrics: createMetrics(), settings });
  await expect.poll(() => lines).toHaveLength(1);
  expect(reports.current()).toEqual([]);
  await reports.close();
});
