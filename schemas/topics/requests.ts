/** Requests to ingest, and their outcomes. Only ingest contacts venues, so other roles ask it through the log. */
import { type Infer, integer, nullable, oneOf, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

/** Longer than any request may wait, so that a new leader of ingest knows which requests were answered. */
const RETENTION_HOURS = 1;

const request = record('Request', 'A request for what only ingest may do.', {
  id: text('Id of the request; its outcome has the same id.'),
  receivedAt: timestamp('Wall time of the request.'),
  orgId: text('The organization whose turn it uses; limits apply to each organization.'),
  kind: text('The kind of request (`schemas/requests`).'),
  params: text('Its parameters as JSON, as the kind declares them.'),
});
export type RequestRecord = Infer<typeof request>;

/** Several nodes write it, so its records are unnumbered; a repeated request has the same id. */
export const requestTopic = defineTopic({
  name: 'control.requests',
  description: 'Requests to ingest: reads from venues, history backfills.',
  key: 'request id',
  partitions: 1,
  retention: { kind: 'hours', hours: RETENTION_HOURS },
  schema: request,
});

/** Why a request failed. */
const REQUEST_FAILURES = ['busy', 'expired', 'unavailable', 'rate_limited', 'upstream_failed'] as const;

const outcome = record('RequestOutcome', 'The outcome of a request to ingest.', {
  id: text('Id of the request.'),
  receivedAt: timestamp('Wall time of the outcome.'),
  producedAt: timestamp('Wall time at which the result was produced; an equal request may have caused it.'),
  lifetimeMs: integer(
    'For how long from `producedAt` equal requests may be answered with the same result; 0 for not at all.',
  ),
  failure: nullable(
    oneOf(
      REQUEST_FAILURES,
      'Null for a success. `busy`: too many requests are waiting; `expired`: it waited too long; `unavailable`: ingest cannot serve it now, for example while a recording plays; `rate_limited`: the venue refused it, or there was no capacity within its limits in time; `upstream_failed`: the venue or its node did not answer, also the requests ahead of this one, or answered an error.',
    ),
  ),
  result: nullable(text('The result as JSON, as the kind declares it; null for a failure.')),
  upstreamStatus: nullable(integer('HTTP status of a venue that failed; null without a response.')),
  upstreamBody: nullable(text('Start of the body of a venue that failed; null without a response.')),
  retryAfterMs: nullable(integer('After how long a retry can succeed, if that is known.')),
});
export type RequestOutcome = Infer<typeof outcome>;
export type RequestFailure = NonNullable<RequestOutcome['failure']>;

/** Written by the holder of the lease of ingest. */
export const requestOutcomeTopic = defineTopic({
  name: 'control.request-outcomes',
  description: 'Outcomes of requests to ingest.',
  key: 'request id',
  partitions: 1,
  retention: { kind: 'hours', hours: RETENTION_HOURS },
  schema: outcome,
});
