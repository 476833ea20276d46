import { z } from 'zod';
import type { UniversalEvent as TopicEvent } from '../topics/derived.ts';
import { marketIdField, providerField, universalIdField } from './fields.ts';
import { decimalNumberOrNull, isoTime, isoTimeSchema } from './scalars.ts';

/**
 * A universal event (specification, Universal event). The contract (Markets, matching, arbitrage) adds the statuses
 * `closed` and `resolved` and, to each link, `evidence`, `polarity` and `used`; `details` and, of a link, `title`, `closesAt`
 * and `tokens` are our own. `kind` and the
 * fields that depend on it are null where nothing was recognised.
 */
export const universalEventSchema = z
  .object({
    universalId: universalIdField,
    canonicalName: z.string().describe('A name for people.'),
    kind: z
      .string()
      .nullable()
      .describe('price_binary, price_range, up_down, election, sports, rate, other; null if none was recognised.'),
    underlying: z.string().nullable().describe('The asset that the question is about; null if none was recognised.'),
    threshold: z.number().nullable().describe('The strike; null for a question without one.'),
    op: z.string().nullable().describe('Comparison with the strike, such as gte; null for a question without one.'),
    details: z
      .record(z.string(), z.string().nullable())
      .describe('Fields of its kind: semantics (at_time, touch) of price_binary; lower and upper of price_range; …'),
    resolutionDate: isoTimeSchema.nullable().describe('When the question is resolved; null if unknown.'),
    status: z
      .enum(['open', 'closed', 'resolved'])
      .describe('closed: past its resolution date, or no market is open; resolved: every linked market is resolved.'),
    firstSeenAt: isoTimeSchema.describe('When its first market was received.'),
    lastSeenAt: isoTimeSchema.describe('When a catalog last contained a new or changed market of it.'),
    links: z
      .array(
        z.object({
          provider: providerField,
          providerMarketId: marketIdField,
          confidence: z.number().min(0).max(1).describe('How certain the link is.'),
          source: z.string().describe('The method that linked it: structured, ner or catalog.'),
          evidence: z
            .record(z.string(), z.unknown())
            .describe(
              'Which words or fields gave which part; `op` is the comparison that the market states, e.g. `at or above`.',
            ),
          polarity: z.enum(['same', 'inverse']).describe("Whether its YES is the event's YES."),
          used: z.boolean().describe('Strong enough for spreads and arbitrage.'),
          title: z.string().describe("The venue's name of the market, at most 200 characters."),
          closesAt: isoTimeSchema
            .nullable()
            .describe("The market's deadline in the venue's catalog; null without one."),
          tokens: z
            .object({
              yes: z
                .string()
                .nullable()
                .describe("Token or coin of the market's YES; null while the catalog names none."),
              no: z.string().nullable().describe("Token or coin of the market's NO; null if there is none."),
            })
            .describe('Of the market itself, whatever its polarity.'),
        }),
      )
      .describe('Its markets, by provider, then market.'),
  })
  .meta({ id: 'Event' });
export type UniversalEvent = z.infer<typeof universalEventSchema>;

/** The wire shape of an event of the topic. */
export function toUniversalEvent(event: TopicEvent): UniversalEvent {
  return {
    universalId: event.universalId,
    canonicalName: event.canonicalName,
    kind: event.kind,
    underlying: event.underlying,
    threshold: decimalNumberOrNull(event.threshold),
    op: event.op,
    details: JSON.parse(event.details) as UniversalEvent['details'],
    resolutionDate: event.resolutionTime === null ? null : isoTime(event.resolutionTime),
    status: event.status,
    firstSeenAt: isoTime(event.firstSeenAt),
    lastSeenAt: isoTime(event.lastSeenAt),
    links: event.links.map((link) => ({
      provider: link.provider,
      providerMarketId: link.providerMarketId,
      confidence: link.confidence,
      source: link.source,
      evidence: JSON.parse(link.evidence) as Record<string, unknown>,
      polarity: link.polarity,
      used: link.used,
      title: link.title,
      closesAt: link.endTime === null ? null : isoTime(link.endTime),
      tokens: { yes: link.yesInstrument || null, no: link.noInstrument },
    })),
  };
}
