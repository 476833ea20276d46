/** The messages of a subscription, newest first, and the chosen one as a whole. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Copy } from '../../parts/copy.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Clock } from '../../parts/time.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import { type FrameList, LIST_MAX, previewOf, type Row } from './frame-list.ts';

const TONES: Readonly<Record<string, string>> = {
  event: 'tag',
  subscribed: 'tag good',
  gap: 'tag bad',
  lagged: 'tag bad',
  error: 'tag bad',
};

function columns(open: (row: Row) => void): readonly Column<Row>[] {
  return [
    { field: 'at', label: 'Received', render: ({ at }) => <Clock at={at} /> },
    {
      field: 'type',
      label: 'Frame',
      render: ({ message: { type } }) => <span class={TONES[type] ?? 'tag'}>{type}</span>,
    },
    {
      field: 'seq',
      label: 'seq',
      isNumber: true,
      render: ({ message }) => (
        <Num value={message.type === 'event' ? message.seq : null} reason="events alone have a number" />
      ),
    },
    {
      field: 'delayMs',
      label: 'Delay, ms',
      isNumber: true,
      render: ({ delayMs }) => <Num value={delayMs} reason="events alone have a cause" />,
    },
    {
      field: 'data',
      label: 'Data',
      isWide: true,
      render: (row) => (
        <button type="button" class="preview" data-action="show" onClick={() => open(row)}>
          <code>{previewOf(row.message)}</code>
        </button>
      ),
    },
  ];
}

function Whole({ row, onClose }: { readonly row: Row; readonly onClose: () => void }) {
  const text = JSON.stringify(row.message, null, 2);
  const close = useRef<HTMLButtonElement>(null);
  // The keyboard goes on from here, not from the row, above which others appear.
  useEffect(() => close.current!.focus(), [row]);
  return (
    <section class="panel" aria-label="The chosen frame">
      <div class="panel-head">
        <h2>
          Frame at <Clock at={row.at} />
        </h2>
        <span class="actions">
          <Copy text={text} />
          <button ref={close} type="button" data-action="close" onClick={onClose}>
            Close
          </button>
        </span>
      </div>
      <pre class="code" data-field="frame">
        {text}
      </pre>
    </section>
  );
}

export function Frames({ list }: { readonly list: ReadonlySignal<FrameList> }) {
  const chosen = useSignal<Row | null>(null);
  const { rows, received } = list.value;
  return (
    <>
      {chosen.value !== null && (
        <Whole
          row={chosen.value}
          onClose={() => {
            chosen.value = null;
          }}
        />
      )}
      {rows.length > 0 && (
        <Table
          label="Frames"
          rows={rows}
          idOf={({ id }) => String(id)}
          seqOf={({ message }) => (message.type === 'event' ? message.seq : null)}
          columns={columns((row) => {
            chosen.value = row;
          })}
        />
      )}
      {received > LIST_MAX && (
        <p class="muted">
          The newest {LIST_MAX} of {received.toLocaleString('en-US')} frames.
        </p>
      )}
    </>
  );
}

/** A text or a number of the subscription, or why there is none. */
function figure(value: number | string | null, reason = 'no event was received yet') {
  if (value === null) return <Unknown reason={reason} />;
  return typeof value === 'number' ? <Num value={value} /> : value;
}

export function Facts({ list, state }: { readonly list: FrameList; readonly state: string }) {
  return (
    <dl class="facts" data-subscription={state}>
      <Fact field="state" label="Subscription">
        {state}
      </Fact>
      <Fact field="events" label="Events">
        {figure(list.events)}
      </Fact>
      <Fact field="seq" label="Newest seq">
        {figure(list.seq)}
      </Fact>
      <Fact field="delayMs" label="Delay, ms">
        {figure(list.delayMs)}
      </Fact>
      <Fact field="gaps" label="Gaps">
        {figure(list.gaps)}
      </Fact>
      <Fact field="dropped" label="Sent late">
        {figure(list.dropped)}
      </Fact>
      <Fact field="status" label="Markets">
        {figure(list.status, 'this channel reports none')}
      </Fact>
      <Fact field="epoch" label="Epoch">
        {figure(list.epoch)}
      </Fact>
    </dl>
  );
}
