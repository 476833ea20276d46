import { z } from 'zod';
import { refuseUnlessOperator } from '#schemas/domain/control/operator';
import { VENUES } from '#schemas/domain/providers';
import { ApiError } from '#schemas/errors';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import type { NodeReport } from '#schemas/topics/node-reports';
import { defineCallerRoute } from '../route.ts';

const isoOrNull = (at: number | null) => (at === null ? null : isoTime(at));
const count = (text: string) => z.number().int().describe(text);

export const getSystem = defineCallerRoute({
  method: 'GET',
  path: '/v1/system',
  scope: 'admin',
  sku: 'api.request',
  summary: 'Processes, stages, connections to venues, log and store; only for keys of the first organization.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({
    nodes: z
      .array(
        z.object({
          node: z.string().describe('Name of the process.'),
          roles: z.array(z.string()).describe('The roles that it runs.'),
          version: z.string().describe('Its version.'),
          startedAt: isoTimeSchema.describe('When it started.'),
        }),
      )
      .describe('Every process that reported in the last 5 s.'),
    stages: z
      .array(
        z.object({
          stage: z.string().describe('Name of the stage or view.'),
          node: z
            .string()
            .describe('The process that runs it; every query API and every gateway has views of its own.'),
          positionAt: isoTimeSchema
            .nullable()
            .describe('Event time up to which it has processed everything; null before it has processed anything.'),
          lagMs: count("The pipeline's time minus its position."),
          eventsPerSecond: z.number().describe('Records that it processed per second in the last seconds.'),
        }),
      )
      .describe('By name.'),
    feeds: z
      .array(
        z.object({
          feed: z.string().describe('The connection slot.'),
          venue: z.enum(VENUES).describe('The venue.'),
          state: z.string().describe('`connected`, `disconnected`, `silent`, `unreachable`, `recorded` or `ended`.'),
          since: isoTimeSchema.describe('When that state began.'),
          lastFrameAt: isoTimeSchema.nullable().describe('When it last received something; null if not yet.'),
          lost1h: count('How often the connection was lost in the last hour.'),
        }),
      )
      .describe('Connections to venues, by name.'),
    log: z
      .object({
        bytes: z.number().int().nullable().describe('On the disk, on Kafka of all copies; null if that is not known.'),
        diskFreeBytes: z.number().int().nullable().describe('Left on the disk; null if the log is on other machines.'),
        topics: z
          .array(
            z.object({
              topic: z.string().describe('Its name.'),
              records: count('Stored records; on Kafka an upper bound, since compacted offsets count too.'),
              bytes: z.number().int().nullable().describe('On the disk; null if that is not known.'),
              oldestAt: isoTimeSchema
                .nullable()
                .describe('When the oldest record was appended; null if there is none.'),
            }),
          )
          .describe('The largest first; at most 10 s old.'),
      })
      .describe('The event log.'),
    store: z
      .object({
        bytes: count('On the disk, of all tables.'),
        tables: z
          .array(
            z.object({
              table: z.string().describe('Its name.'),
              rows: count('Rows; those written twice count until the store has merged them.'),
              bytes: count('On the disk.'),
            }),
          )
          .describe('The largest first; at most 10 s old.'),
        lagMs: z.number().int().nullable().describe('Age of the table that is furthest behind; null without a sink.'),
      })
      .describe('The tables.'),
    deadLetters: z
      .array(
        z.object({
          topic: z.string().describe('The topic of the records.'),
          reason: z.string().describe('Why they could not be processed.'),
          count: count('Counted by the processes since each of them started.'),
        }),
      )
      .describe('The most frequent first.'),
  }),
  async handle({ caller }, { control, service }) {
    const refusal = refuseUnlessOperator(control.state, caller, 'see the state of the service');
    if (refusal) throw new ApiError(refusal.code, refusal.message);
    const { topics, tables, diskFreeBytes } = await service.sizes();
    const nodes = service.nodes();
    const bytes = topics.map((topic) => topic.bytes);
    const sinkLags = nodes.flatMap(({ sinkLagMs }) => sinkLagMs ?? []);
    return {
      nodes: nodes.map(({ node, roles, version, startedAt }) => ({
        node,
        roles: [...roles],
        version,
        startedAt: isoTime(startedAt),
      })),
      stages: stagesOf(nodes),
      feeds: nodes
        .flatMap(({ feeds }) => feeds)
        .map(({ since, lastFrameAt, ...feed }) => ({
          ...feed,
          since: isoTime(since),
          lastFrameAt: isoOrNull(lastFrameAt),
        })),
      log: {
        bytes: bytes.includes(null) ? null : sum(bytes as number[]),
        diskFreeBytes,
        topics: topics
          .map(({ oldestAt, ...topic }) => ({ ...topic, oldestAt: isoOrNull(oldestAt) }))
          .sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || (a.topic < b.topic ? -1 : 1)),
      },
      store: {
        bytes: sum(tables.map((table) => table.bytes)),
        tables: [...tables],
        lagMs: sinkLags.length === 0 ? null : Math.max(...sinkLags),
      },
      deadLetters: deadLettersOf(nodes),
    };
  },
});

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function stagesOf(nodes: readonly NodeReport[]) {
  return nodes
    .flatMap(({ node, stages }) => stages.map((stage) => ({ ...stage, node })))
    .map(({ positionAt, ...stage }) => ({ ...stage, positionAt: isoOrNull(positionAt) }))
    .sort((a, b) => (a.stage === b.stage ? (a.node < b.node ? -1 : 1) : a.stage < b.stage ? -1 : 1));
}

function deadLettersOf(nodes: readonly NodeReport[]) {
  const counts = new Map<string, { topic: string; reason: string; count: number }>();
  for (const { topic, reason, count } of nodes.flatMap(({ deadLetters }) => deadLetters)) {
    const name = `${topic} ${reason}`;
    const known = counts.get(name) ?? { topic, reason, count: 0 };
    counts.set(name, known);
    known.count += count;
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
