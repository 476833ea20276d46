import { request } from '../../live/api.ts';
import { type Paginated, usePaged } from '../../live/paged.ts';
import { isAdmin } from '../../parts/admins-only.tsx';
import { useAction } from '../../parts/confirm.tsx';
import { FaultText } from '../../parts/fault.tsx';
import { More } from '../../parts/more.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { hrefTo } from '../../shell/router.ts';
import { type Delivery, DeliveryStatus, deliveryPath, NextAttempt, webhookRoute } from './shapes.tsx';

interface DeliveryList extends Paginated {
  readonly deliveries: readonly Delivery[];
}

const REFRESH_MS = 3_000;

/** The outcome of the last attempt. */
function lastResult({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'not sent yet';
  return last.status === null ? (last.error ?? 'no response') : `${last.status} in ${last.durationMs} ms`;
}

function columns(webhookId: string, onRedeliver: (delivery: Delivery) => void, isRunning: boolean): Column<Delivery>[] {
  return [
    { field: 'createdAt', label: 'Created', render: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      field: 'eventType',
      label: 'Event type',
      isWide: true,
      render: ({ id, eventType }) => (
        <a href={hrefTo(deliveryPath(webhookId, id))}>
          <code>{eventType}</code>
        </a>
      ),
    },
    { field: 'status', label: 'Status', render: DeliveryStatus },
    { field: 'attempts', label: 'Attempts', isNumber: true, render: ({ attempts }) => attempts.length },
    { field: 'result', label: 'Last result', isWide: true, render: lastResult },
    {
      field: 'nextAttemptAt',
      label: 'Next attempt',
      render: (delivery) => <NextAttempt delivery={delivery} />,
    },
    {
      field: 'actions',
      label: 'Actions',
      render: (delivery) => (
        <button
          type="button"
          data-action="redeliver"
          aria-label={`Send again: ${delivery.eventType} of ${delivery.createdAt}`}
          disabled={isRunning}
          onClick={() => onRedeliver(delivery)}
        >
          Send again
        </button>
      ),
    },
  ];
}

export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const path = webhookRoute(webhookId, '/deliveries');
  const list = usePaged<DeliveryList>(`${path}?limit=50`, REFRESH_MS);
  const { run, fault, isRunning } = useAction();
  const shown = columns(
    webhookId,
    (delivery) =>
      run(async () => {
        await request(`${path}/${encodeURIComponent(delivery.id)}/redeliver`, { method: 'POST' });
        list.first.refresh();
      }),
    isRunning,
  );
  return (
    <Panel
      title="Deliveries"
      resource={list.first}
      isEmpty={({ deliveries }) => deliveries.length === 0}
      empty="Nothing was sent yet. Send a test to see a delivery here."
    >
      {() => (
        <>
          {fault && <FaultText fault={fault} />}
          <Table
            label="Deliveries"
            rows={list.pages.flatMap(({ deliveries }) => deliveries)}
            idOf={({ id }) => id}
            columns={isAdmin() ? shown : shown.filter(({ field }) => field !== 'actions')}
          />
          <More paged={list} />
        </>
      )}
    </Panel>
  );
}
