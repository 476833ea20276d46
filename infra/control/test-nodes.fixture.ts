/** Control replicas on a new log for each test, as several nodes of the service would run them. */
import { pino } from 'pino';
import { afterEach, beforeEach } from 'vitest';
import { commandTopic } from '#schemas/topics/control';
import type { LogRecord } from '../log/log.ts';
import { createAuthenticator } from './authenticator.ts';
import { type ControlReplica, openControlReplica } from './control-replica.ts';
import { openTestLog, type TestLog } from './open-test-log.fixture.ts';
import { seedAdminKey } from './seed.ts';

/** To be called once in a test file: each test gets a new log, which is closed with all replicas after it. */
export function testNodes() {
  let opened: TestLog;
  const replicas: ControlReplica[] = [];
  const logged: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  beforeEach(async () => {
    opened = await openTestLog();
  });
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.close();
    logged.length = 0;
    await opened.close();
  });

  const replica = async (log = opened.log): Promise<ControlReplica> => {
    const created = await openControlReplica({ log, codec: opened.codec, logger });
    replicas.push(created);
    return created;
  };
  return {
    get opened() {
      return opened;
    },
    /** Open replicas; a test that closes one removes it. */
    replicas,
    /** The log lines of replicas and seeding. */
    logged,
    logger,
    replica,
    /** Another node: it uses the same log through another object. */
    otherNode: () => replica(Object.create(opened.log) as typeof opened.log),
    seed: (on: ControlReplica, adminToken: string | null): Promise<string | null> =>
      seedAdminKey({ replica: on, authenticator: createAuthenticator(on), logger, adminToken, plan: 'pro' }),
    /** The records of `control.commands`. */
    async commands(): Promise<readonly LogRecord[]> {
      const reader = await opened.log.reader([{ topic: commandTopic.name, partition: 0, offset: 0 }]);
      const { records } = await reader.poll(100, 50);
      await reader.close();
      return records;
    },
  };
}
