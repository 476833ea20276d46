/** The messages of a subscription on the page of a channel: its figures, and the newest ones, each to be unfolded. */
import { clockText } from '../format/time.ts';
import { type FrameList, previewOf, type Row } from '../pages/stream/frame-list.ts';
import { subscriptionState } from '../pages/stream/subscription-state.ts';

/** Messages that are shown. */
const SHOWN_MAX = 20;
const UNKNOWN = '–';
const INDENT = 2;

/** Shows the list in the section of a form. Rows that are shown already stay, so that an unfolded one stays open. */
export function showFrames(
  section: HTMLElement,
  list: FrameList,
  { isFollowed, isAccepted }: { readonly isFollowed: boolean; readonly isAccepted: boolean },
): void {
  const { events, seq, delayMs, gaps, dropped, refusal, received, rows } = list;
  const state = subscriptionState({ isFollowed, isPaused: false, isAccepted, refusal, received });
  const facts = { state, events, seq, delayMs, gaps, dropped };
  for (const [field, value] of Object.entries(facts))
    section.querySelector(`dd[data-field="${field}"]`)!.textContent = value === null ? UNKNOWN : String(value);
  const body = section.querySelector<HTMLTableSectionElement>('[data-field="frames"]')!;
  const shown = Number(body.rows[0]?.dataset.id ?? 0);
  // Ids count the messages of a subscription from 1.
  if (received < shown || received === 0) body.replaceChildren();
  body.prepend(
    ...rows
      .filter(({ id }) => id > (body.rows.length === 0 ? 0 : shown))
      .slice(0, SHOWN_MAX)
      .map(rowOf),
  );
  while (body.rows.length > SHOWN_MAX) body.deleteRow(-1);
}

function rowOf({ id, at, message, delayMs }: Row): HTMLTableRowElement {
  const row = document.createElement('tr');
  row.dataset.id = String(id);
  const seq = message.type === 'event' ? String(message.seq) : UNKNOWN;
  if (message.type === 'event') row.dataset.seq = seq;
  const texts = {
    at: clockText(at, true),
    type: message.type,
    seq,
    delayMs: delayMs === null ? UNKNOWN : String(delayMs),
  };
  for (const [field, text] of Object.entries(texts)) {
    const cell = row.insertCell();
    cell.dataset.field = field;
    cell.textContent = text;
  }
  const [details, summary, whole] = [
    document.createElement('details'),
    document.createElement('summary'),
    document.createElement('code'),
  ];
  summary.textContent = previewOf(message);
  whole.textContent = JSON.stringify(message, null, INDENT);
  const block = document.createElement('pre');
  // What scrolls must be reachable by keyboard (WCAG 2.1.1).
  block.tabIndex = 0;
  block.append(whole);
  details.append(summary, block);
  const cell = row.insertCell();
  cell.dataset.field = 'data';
  cell.append(details);
  return row;
}
