import { attemptsOf } from '../format/series.ts';
import { request } from '../live/api.ts';
import { useResource } from '../live/resource.ts';
import type { PageProps } from '../pages.ts';
import { AdminsOnly } from '../parts/admins-only.tsx';
import { Chart } from '../parts/chart.tsx';
import { useAction } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { Fact } from '../parts/fact.tsx';
import { FaultText } from '../parts/fault.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { Unknown } from '../parts/unknown.tsx';
import { hrefTo, navigate } from '../shell/router.ts';
import { Sent } from './webhook/sent.tsx';
import {
  DeliveryStatus,
  deliveryPath,
  NextAttempt,
  type SentAttempt,
  type SentDelivery,
  webhookPath,
  webhookRoute,
} from './webhook/shapes.tsx';

type Row = SentAttempt & { readonly nth: number };

const REFRESH_MS = 3_000;

const COLUMNS: readonly Column<Row>[] = [
  { field: 'nth', label: 'Attempt', render: ({ nth }) => nth },
  { field: 'at', label: 'Time', render: ({ at }) => <Moment at={at} /> },
  {
    field: 'status',
    label: 'Status',
    isNumber: true,
    render: ({ status }) => status ?? <Unknown reason="no response was received" />,
  },
  { field: 'durationMs', label: 'Duration (ms)', isNumber: true, render: ({ durationMs }) => durationMs },
  {
    field: 'error',
    label: 'Class of error',
    isWide: true,
    render: ({ error }) => (error === null ? <span class="muted">none</span> : <code>{error}</code>),
  },
];

export default function DeliveryPage({ params }: PageProps) {
  const [webhookId, id] = [params.id!, params.deliveryId!];
  const route = webhookRoute(webhookId, `/deliveries/${encodeURIComponent(id)}`);
  const resource = useResource<SentDelivery>(route, REFRESH_MS);
  const { run, fault, isRunning } = useAction();
  const delivery = resource.data.value;
  const redeliver = async () => {
    const { deliveryId } = await request<{ readonly deliveryId: string }>(`${route}/redeliver`, { method: 'POST' });
    navigate(deliveryPath(webhookId, deliveryId));
  };
  const actions = delivery && (
    <AdminsOnly>
      <button type="button" data-action="redeliver" disabled={isRunning} onClick={() => run(redeliver)}>
        Send again
      </button>
    </AdminsOnly>
  );
  const rows = (delivery?.attempts ?? []).map((attempt, index) => ({ ...attempt, nth: index + 1 }));
  return (
    <Page name="delivery" title="Delivery" {...framed(resource)} actions={actions}>
      {fault && <FaultText fault={fault} />}
      {delivery && (
        <>
          <section class="panel" aria-label="Delivery">
            <dl class="facts">
              <Fact label="Status" field="status">
                <DeliveryStatus status={delivery.status} />
              </Fact>
              <Fact label="Next attempt" field="nextAttemptAt">
                <NextAttempt delivery={delivery} />
              </Fact>
              <Fact label="Created" field="createdAt">
                <Moment at={delivery.createdAt} />
              </Fact>
              <Fact label="Event type" field="eventType">
                <code>{delivery.eventType}</code>
              </Fact>
              <Fact label="Event" field="eventId">
                <Id value={delivery.eventId} />
              </Fact>
              <Fact label="Delivery" field="id">
                <Id value={delivery.id} />
              </Fact>
              <Fact label="Webhook" field="webhookId">
                <a href={hrefTo(webhookPath(webhookId))}>Its other deliveries</a>
              </Fact>
            </dl>
          </section>
          {rows.length > 0 && (
            <div class="panel">
              <Chart
                name="deliveries"
                caption="Attempts: how long each took (ms)"
                kind="points"
                digits={0}
                data={attemptsOf(delivery.attempts)}
              />
            </div>
          )}
          <section class="panel" aria-labelledby="attempts">
            <h2 id="attempts">Attempts</h2>
            {rows.length === 0 ? (
              <p class="muted">The first attempt is under way.</p>
            ) : (
              <Table label="Attempts" rows={rows} idOf={({ nth }) => String(nth)} columns={COLUMNS} />
            )}
          </section>
          <Sent delivery={delivery} />
        </>
      )}
    </Page>
  );
}
