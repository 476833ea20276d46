import type { Happenings } from '../format/event-history.ts';
import { wordsOf } from '../format/names.ts';
import { useResource } from '../live/resource.ts';
import type { PageProps } from '../pages.ts';
import { Id } from '../parts/copy.tsx';
import { Json, WithJson } from '../parts/json.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { Anomalies } from './event/anomalies.tsx';
import { Books } from './event/books.tsx';
import { Edges } from './event/edges.tsx';
import { Evidence } from './event/evidence.tsx';
import { History } from './event/history.tsx';
import { EVERY_MS } from './event/intervals.ts';
import { LadderPanel } from './event/ladder.tsx';
import { Legs } from './event/legs.tsx';
import { Disputes, Settlements } from './event/oracle.tsx';
import { apiPath, type UniversalEvent } from './event/shapes.ts';
import { Trades } from './event/trades.tsx';

/** `GET /v1/events/{universalId}/health`. */
interface Health extends Happenings {
  readonly event: UniversalEvent;
  readonly consensusScore: number | null;
  readonly fetchedAt: string;
}

export default function EventPage({ params }: PageProps) {
  const id = params.universalId!;
  const health = useResource<Health>(apiPath(id, 'health'), EVERY_MS.health);
  const data = health.data.value;
  const event = data?.event;
  return (
    <Page
      name="event"
      title={event?.canonicalName ?? 'Event'}
      {...framed(health)}
      actions={data && <Json title="Everything about the event" value={data} />}
    >
      {event && (
        <WithJson.Provider value={true}>
          <p class="muted facts-line">
            <Id value={event.universalId} />
            <span data-field="kind">{event.kind ? wordsOf(event.kind) : 'Kind not recognised'}</span>
            <span data-field="status">{wordsOf(event.status)}</span>
            <span data-field="resolutionDate">
              Resolves <Moment at={event.resolutionDate} reason="its markets state no date" />
            </span>
            <span>
              Consensus{' '}
              <span data-field="consensusScore">
                <Num value={data.consensusScore} digits={4} reason="fewer than two legs are live" />
              </span>
            </span>
          </p>
          <div class="panels">
            <div class="stack">
              <Legs id={event.universalId} />
              <Books id={event.universalId} />
            </div>
            <div class="stack">
              <Edges id={event.universalId} />
              <LadderPanel id={event.universalId} />
            </div>
          </div>
          <History id={event.universalId} happened={data} at={Date.parse(data.fetchedAt)} />
          <Anomalies id={event.universalId} />
          <Disputes id={event.universalId} />
          <Settlements id={event.universalId} />
          <Evidence links={event.links} />
          <Trades id={event.universalId} />
        </WithJson.Provider>
      )}
    </Page>
  );
}
