/** The form of the console: a kind of channel, its parameters, and from where to begin. All of it stands in the address. */
import { useId } from 'preact/hooks';
import { useResource } from '../../live/resource.ts';
import { place, setQuery } from '../../shell/router.ts';
import { session } from '../../shell/session.ts';
import type { Board } from '../event/live.ts';
import { type ChannelKind, type ChannelParameter, nameOf } from './channels.ts';

const STARTS = [
  ['next', 'From the next event on'],
  ['earliest', 'From the earliest that is retained'],
  ['cursor', 'After a cursor'],
] as const;
const FIRST_KIND = 'trade-provider';
const FIRST_PROVIDER = 'venue_b';

export interface Choices {
  readonly kind: ChannelKind;
  readonly values: Readonly<Record<string, string>>;
  readonly start: string;
  /** Null while a parameter is missing. */
  readonly channel: string | null;
  readonly since: string | null;
}

/** The events that a person may want to follow, those with the most volume first. */
function useEvents() {
  const board = useResource<Board>('/v1/events/board?sort=volume&limit=100');
  return board.data.value?.rows ?? [];
}

/** What the address chooses; what it leaves out has a value with which something is seen at once. */
export function useChoices(kinds: readonly ChannelKind[]) {
  const events = useEvents();
  const { query } = place.value;
  const kind =
    kinds.find(({ name }) => name === query.get('kind')) ?? kinds.find(({ name }) => name === FIRST_KIND) ?? kinds[0]!;
  const fallback: Readonly<Record<string, string | undefined>> = {
    universalId: events[0]?.universalId,
    orgId: session.value?.orgId,
    provider: FIRST_PROVIDER,
  };
  const values = Object.fromEntries(
    kind.parameters.map(({ name, values }) => [name, query.get(name) ?? fallback[name] ?? values?.[0] ?? '']),
  );
  const start = STARTS.find(([name]) => name === query.get('start'))?.[0] ?? 'next';
  const since = start === 'next' ? null : start === 'earliest' ? 'earliest' : query.get('cursor');
  const choices: Choices = { kind, values, start, channel: nameOf(kind, values), since };
  return { choices, events };
}

interface SubscribeFormProps {
  readonly kinds: readonly ChannelKind[];
  readonly choices: Choices;
  readonly events: Board['rows'];
  readonly onSubscribe: () => void;
}

export function SubscribeForm({ kinds, choices, events, onSubscribe }: SubscribeFormProps) {
  const { kind, values, start, channel } = choices;
  return (
    <form
      class="stack"
      data-form="subscribe"
      onSubmit={(event) => {
        event.preventDefault();
        onSubscribe();
      }}
    >
      <label>
        Kind of channel
        <select name="kind" value={kind.name} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
          {kinds.map(({ name, address }) => (
            <option key={name} value={name}>
              {address.replace('svc:stream:', '')}
            </option>
          ))}
        </select>
      </label>
      <p class="muted">
        {kind.summary}
        {!kind.isDelivering && ' Nothing writes its events yet.'}
      </p>
      {kind.parameters.map((parameter) => (
        <Parameter
          key={`${kind.name} ${parameter.name}`}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          events={events}
        />
      ))}
      <label>
        Start
        <select
          name="start"
          value={start}
          onChange={(event) =>
            setQuery({ start: event.currentTarget.value === 'next' ? null : event.currentTarget.value })
          }
        >
          {STARTS.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {start === 'cursor' && (
        <label>
          Cursor
          <input
            name="cursor"
            required
            maxLength={256}
            autocomplete="off"
            spellcheck={false}
            value={choices.since ?? ''}
            onInput={(event) => setQuery({ cursor: event.currentTarget.value.trim() })}
          />
        </label>
      )}
      <p class="channel">
        <code data-field="channel">{channel ?? kind.address}</code>
      </p>
      <button type="submit" class="primary" data-action="subscribe">
        Subscribe
      </button>
    </form>
  );
}

interface ParameterProps {
  readonly parameter: ChannelParameter;
  readonly value: string;
  readonly events: Board['rows'];
}

function Parameter({ parameter: { name, description, values }, value, events }: ParameterProps) {
  const id = useId();
  const change = (next: string) => setQuery({ [name]: next.trim() }, true);
  return (
    <div class="field">
      <label htmlFor={`${id}-field`}>{LABELS[name] ?? name}</label>
      {values === null ? (
        <input
          id={`${id}-field`}
          name={name}
          required
          maxLength={256}
          autocomplete="off"
          spellcheck={false}
          value={value}
          aria-describedby={id}
          list={name === 'universalId' ? `${id}-events` : undefined}
          onInput={(event) => change(event.currentTarget.value)}
        />
      ) : (
        <select id={`${id}-field`} name={name} value={value} onChange={(event) => change(event.currentTarget.value)}>
          {values.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      {name === 'universalId' && (
        <datalist id={`${id}-events`}>
          {events.map(({ universalId, canonicalName }) => (
            <option key={universalId} value={universalId}>
              {canonicalName}
            </option>
          ))}
        </datalist>
      )}
      {values === null && (
        <p id={id} class="muted hint">
          {events.find(({ universalId }) => universalId === value)?.canonicalName ?? description.replaceAll('`', '')}
        </p>
      )}
    </div>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  universalId: 'Event',
  provider: 'Provider',
  orgId: 'Organization',
  anomalyKind: 'Kind of anomaly',
  instrument: 'Instrument',
};
