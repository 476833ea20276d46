import type { Command } from './command.ts';

/** A command in the list. */
export interface CommandEntry {
  readonly name: string;
  /** One line for `parallax help`. */
  readonly summary: string;
  /** Loads the command, and with it the parts of the program that it needs. */
  readonly load: () => Promise<Command>;
}

/** Every command, in the order of `parallax help`. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'run Parallax: ingest, processors, query API and stream gateway',
    load: async () => (await import('./commands/start.ts')).start,
  },
  {
    name: 'health',
    summary: 'exit with 0 if the process on --http-port is ready, and print the reason otherwise',
    load: async () => (await import('./commands/health.ts')).health,
  },
  {
    name: 'watch',
    summary: 'live edges, spreads, candles and trades of a running service in the terminal',
    load: async () => (await import('./commands/watch.ts')).watch,
  },
  {
    name: 'replay',
    summary: 'rebuild derived topics and tables from the raw ones; --verify compares instead',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  {
    name: 'backfill',
    summary: 'load candles of the external exchange into the log: candles [--coins …] [--intervals …] [--days …]',
    load: async () => (await import('./commands/backfill.ts')).backfill,
  },
  {
    name: 'record',
    summary: 'write a recording from a running service: --out <folder>',
    load: async () => (await import('./commands/record.ts')).record,
  },
  {
    name: 'simulator',
    summary: 'run the simulated venues alone, or write hours of them as a recording',
    load: async () => (await import('./commands/simulator.ts')).simulator,
  },
  {
    name: 'dead-letters',
    summary: 'list records that could not be processed; --redrive --topic <topic> processes them again',
    load: async () => (await import('./commands/dead-letters.ts')).deadLetters,
  },
  {
    name: 'receive-webhooks',
    summary: 'receive webhooks of a service on this machine and verify their signatures',
    load: async () => (await import('./commands/receive-webhooks.ts')).receiveWebhooks,
  },
  {
    name: 'stack',
    summary: 'run Parallax on Kafka and ClickHouse in containers: up, down, replay, compose',
    load: async () => (await import('./commands/stack.ts')).stack,
  },
  {
    name: 'match',
    summary: 'label and link the titles of a file with the matcher alone',
    load: async () => (await import('./commands/match.ts')).match,
  },
  {
    name: 'docs',
    summary: "write docs/reference.md and the README's settings from the declarations",
    load: async () => (await import('./commands/docs.ts')).docs,
  },
  {
    name: 'screenshot',
    summary: 'take the picture of the portal in the README (docs/portal.png); needs Chromium',
    load: async () => (await import('./commands/screenshot.ts')).screenshot,
  },
  {
    name: 'ddl',
    summary: 'print the statements that create the tables, also for a cluster of ClickHouse',
    load: async () => (await import('./commands/ddl.ts')).ddl,
  },
  {
    name: 'check-store',
    summary: 'check that a ClickHouse server gives every guarantee that Parallax needs: --store <url>',
    load: async () => (await import('./commands/check-store.ts')).checkStore,
  },
  {
    name: 'restore-schemas',
    summary: 'register the schemas of the log in an emptied schema registry, under the same ids',
    load: async () => (await import('./commands/restore-schemas.ts')).restoreSchemas,
  },
  {
    name: 'freeze-schemas',
    summary: 'write a version file for every record schema that changed (schemas/topics/versions), and the tables',
    load: async () => (await import('./commands/freeze-schemas.ts')).freezeSchemasCommand,
  },
  {
    name: 'make-sandbox',
    summary: 'generate the data set of sandbox keys from the simulator (query-api/sandbox)',
    load: async () => (await import('./commands/make-sandbox.ts')).makeSandbox,
  },
  {
    name: 'bench',
    summary: 'speed of the hot paths as ratios against bare baselines',
    load: async () => (await import('./commands/bench.ts')).bench,
  },
];
