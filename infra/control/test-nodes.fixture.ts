/** Control hosts on a log of their own for each test, as several nodes of the service would run them. */
import { pino } from 'pino';
import { afterEach, beforeEach } from 'vitest';
import { commandTopic } from '#schemas/topics/control';
import type { LogRecord } from '../log/log.ts';
import { createAuthenticator } from './authenticator.ts';
import { type ControlHost, openControlHost } from './control-host.ts';
import { openTestLog, type TestLog } from './open-test-log.fixture.ts';
import { seedAdminKey } from './seed.ts';

/** To be called once in a test file: the log is a new one in each test, and is closed with all hosts after it. */
export function testNodes() {
  let opened: TestLog;
  const hosts: ControlHost[] = [];
  const logged: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  beforeEach(async () => {
    opened = await openTestLog();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    logged.length = 0;
    await opened.close();
  });

  const host = async (log = opened.log): Promise<ControlHost> => {
    const made = await openControlHost({ log, codec: opened.codec, logger });
    hosts.push(made);
    return made;
  };
  return {
    get opened() {
      return opened;
    },
    /** Open ones; whoever closes one removes it. */
    hosts,
    /** What hosts and seeding logged. */
    logged,
    logger,
    host,
    /** Another node: it has the same log, as another object. */
    otherNode: () => host(Object.create(opened.log) as typeof opened.log),
    seed: (on: ControlHost, adminToken: string | null): Promise<string | null> =>
      seedAdminKey({ host: on, authenticator: createAuthenticator(on), logger, adminToken, plan: 'pro' }),
    /** The records of `control.commands`. */
    async commands(): Promise<readonly LogRecord[]> {
      const reader = await opened.log.reader([{ topic: commandTopic.name, partition: 0, offset: 0 }]);
      const { records } = await reader.poll(100, 50);
      await reader.close();
      return records;
    },
  };
}
