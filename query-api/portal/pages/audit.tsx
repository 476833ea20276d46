import { type Paginated, usePaged } from '../live/paged.ts';
import { Id } from '../parts/copy.tsx';
import { More } from '../parts/more.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { Unknown } from '../parts/unknown.tsx';

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly targetId: string;
}
interface AuditLog extends Paginated {
  readonly entries: readonly Entry[];
}

const REFRESH_MS = 10_000;
const BY_SERVICE = 'done by the service itself';

const COLUMNS: readonly Column<Entry>[] = [
  { field: 'at', label: 'When', render: ({ at }) => <Moment at={at} /> },
  { field: 'action', label: 'Action', render: ({ action }) => <code>{action}</code> },
  { field: 'userId', label: 'User', isWide: true, render: ({ userId }) => userId ?? <Unknown reason={BY_SERVICE} /> },
  {
    field: 'keyId',
    label: 'Key',
    render: ({ keyId }) => (keyId ? <Id value={keyId} /> : <Unknown reason={BY_SERVICE} />),
  },
  { field: 'targetId', label: 'Target', render: ({ targetId }) => <Id value={targetId} /> },
];

export default function AuditPage() {
  const log = usePaged<AuditLog>('/v1/me/audit-log?limit=100', REFRESH_MS);
  return (
    <Page
      name="audit"
      title="Audit log"
      {...framed(log.first, ({ entries }) => entries.length === 0)}
      empty={<p>Every change of keys, wallets, webhooks and attributions is listed here, with who did it.</p>}
    >
      <Table
        label="Audit log"
        rows={log.pages.flatMap((page) => page.entries)}
        idOf={({ id }) => id}
        columns={COLUMNS}
      />
      <More paged={log} />
    </Page>
  );
}
