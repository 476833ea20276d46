/** The form on the page of a channel: subscribes over a connection of its own, and shows what comes. */
import { type ConnectionState, type Credentials, StreamClient } from '#stream-gateway/client/stream-client';
import { type Subscribed, streamSamples } from '../../docs/samples/stream-samples.ts';
import { batchByFrame } from '../live/frame-batch.ts';
import { appended, EMPTY_LIST, type FrameList } from '../pages/stream/frame-list.ts';
import { type Field, InvalidField, onSubmit, readCsrf, readJson, showFault, typedToken } from './form.ts';
import { showFrames } from './frames.ts';

const NO_URL = 'The service does not know the URL of its stream; PARALLAX_STREAM_URL sets it.';
const REFUSED =
  'No connection: the key or the session may not stream, or the service is not reached. It is tried again.';

export function startSubscribeForm(form: HTMLFormElement): void {
  const section = form.parentElement!;
  const part = (selector: string) => section.querySelector<HTMLElement>(selector)!;
  const unsubscribe = part('[data-action="unsubscribe"]');
  let end = () => {};

  function follow(url: string, subscribed: Subscribed, credentials: Credentials): void {
    let list: FrameList = EMPTY_LIST;
    let isAccepted = false;
    const show = (isFollowed: boolean) => showFrames(section, list, { isFollowed, isAccepted });
    show(true);
    const batch = batchByFrame((messages) => {
      list = appended(list, messages, Date.now());
      show(true);
    });
    const client = new StreamClient({
      url,
      onState: (state) => {
        showState(part('[data-connection]'), state);
        if (state.name !== 'live') isAccepted = false;
        show(true);
        const isRefused = state.name === 'waiting' || (state.name === 'offline' && state.closeCode === 4001);
        if (isRefused) showFault(form, new InvalidField(REFUSED, null));
        else if (state.name === 'live') showFault(form, null);
      },
    });
    const { channel, since } = subscribed;
    client.subscribe({ channel, ...(since === null ? {} : { since }) }, (message) => {
      if (message.type === 'subscribed') isAccepted = true;
      return batch.push(message);
    });
    end = () => {
      client.disconnect();
      batch.close();
      show(false);
      unsubscribe.hidden = true;
      end = () => {};
    };
    part('[data-field="channel"]').textContent = channel;
    showSamples(part('[data-field="samples"]'), url, subscribed);
    part('[data-field="answer"]').hidden = false;
    unsubscribe.hidden = false;
    client.connect(credentials);
  }

  onSubmit(form, async () => {
    end();
    const subscribed = subscribedOf(form);
    const token = typedToken(form);
    const { streamUrl } = await readJson<{ readonly streamUrl: string | null }>('/docs/stream-url.json');
    if (streamUrl === null) throw new InvalidField(NO_URL, null);
    // The key is held by the connection alone, which needs it again after a loss.
    follow(streamUrl, subscribed, token === '' ? { csrf: await readCsrf() } : { token });
  });
  unsubscribe.addEventListener('click', () => {
    end();
    // The button is hidden now, so the keyboard goes on from here.
    form.querySelector<HTMLButtonElement>('[data-action="subscribe"]')!.focus();
  });
}

/** What the form names. Throws an `InvalidField` if a parameter is missing. */
function subscribedOf(form: HTMLFormElement): Subscribed {
  let channel = form.dataset.address ?? '';
  for (const field of form.querySelectorAll<Field>('[data-in="address"]')) {
    const value = field.value.trim();
    if (value === '') throw new InvalidField(`${field.name}: is missing`, field);
    channel = channel.replace(`{${field.name}}`, () => value);
  }
  const since = form.querySelector<HTMLInputElement>('input[name="since"]')!.value.trim();
  return { channel, since: since === '' ? null : since };
}

function showState(shown: HTMLElement, { name }: ConnectionState): void {
  shown.dataset.connection = name;
  shown.textContent = name;
}

/** The same subscription as code, each with a button that copies it. */
function showSamples(box: HTMLElement, url: string, subscribed: Subscribed): void {
  box.replaceChildren(
    ...streamSamples(url, subscribed).flatMap(({ name, title, text }) => {
      const [heading, copy, block, code] = [
        document.createElement('h4'),
        document.createElement('button'),
        document.createElement('pre'),
        document.createElement('code'),
      ];
      heading.textContent = title;
      copy.type = 'button';
      copy.dataset.action = 'copy';
      copy.textContent = `Copy ${title}`;
      copy.addEventListener('click', () => {
        navigator.clipboard.writeText(text).then(
          () => {
            copy.textContent = 'Copied';
          },
          // The browser refuses it, as without TLS on another host; the text can still be selected.
          () => {
            copy.textContent = 'Not allowed';
          },
        );
      });
      block.tabIndex = 0;
      code.dataset.language = name;
      code.textContent = text;
      block.append(code);
      return [heading, copy, block];
    }),
  );
}
