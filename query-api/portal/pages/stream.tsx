/** A console for the channels of the stream. */
import { useSignal } from '@preact/signals';
import { type StreamSample, streamSamples } from '../../docs/samples/stream-samples.ts';
import { isPaused } from '../live/activity.ts';
import { ApiFault } from '../live/api-fault.ts';
import { useFollow } from '../live/follow.ts';
import { useResource } from '../live/resource.ts';
import { serviceNow } from '../live/service-clock.ts';
import { Choice, chosen } from '../parts/choice.tsx';
import { Copy } from '../parts/copy.tsx';
import { framed, Page } from '../parts/page.tsx';
import { maySubscribe, session } from '../shell/session.ts';
import { type AsyncApi, type ChannelKind, kindsOf } from './stream/channels.ts';
import { appended, EMPTY_LIST } from './stream/frame-list.ts';
import { Facts, Frames } from './stream/frames.tsx';
import { SubscribeForm, useChoices } from './stream/subscribe-form.tsx';
import { subscriptionState } from './stream/subscription-state.ts';

const NO_SCOPE = new ApiFault({
  status: 403,
  code: 'forbidden_scope',
  message: 'Channels need a key with the scope stream or admin that is not of the sandbox.',
});
const NO_URL = new ApiFault({
  status: 503,
  code: 'unreachable',
  message: 'The service does not know the URL of its stream; PARALLAX_STREAM_URL sets it.',
});

export default function StreamPage() {
  const declared = useResource<AsyncApi>('/asyncapi.json');
  const account = session.value;
  if (account && !maySubscribe(account))
    return <Page name="stream" title="Stream" state="forbidden" fault={NO_SCOPE} />;
  if (account && account.streamUrl === null) return <Page name="stream" title="Stream" state="error" fault={NO_URL} />;
  const document = declared.data.value;
  return (
    <Page name="stream" title="Stream" {...framed(declared)}>
      {document && account && <Console kinds={kindsOf(document)} url={account.streamUrl!} />}
    </Page>
  );
}

function Console({ kinds, url }: { readonly kinds: readonly ChannelKind[]; readonly url: string }) {
  const list = useSignal(EMPTY_LIST);
  const { choices, events } = useChoices(kinds);
  const follow = useFollow((messages) => {
    list.value = appended(list.value, messages, serviceNow());
  });
  const followed = follow.followed.value;
  const { refusal, received } = list.value;
  const state = subscriptionState({
    isFollowed: followed !== null,
    isPaused: follow.isPaused.value || isPaused.value,
    isAccepted: follow.isAccepted.value,
    refusal,
    received,
  });
  return (
    <>
      <div class="panels console">
        <section class="panel" aria-labelledby="subscribe">
          <h2 id="subscribe">Subscribe</h2>
          <SubscribeForm
            kinds={kinds}
            choices={choices}
            events={events}
            onSubscribe={() => {
              if (choices.channel === null) return;
              follow.end();
              list.value = EMPTY_LIST;
              follow.start({ channel: choices.channel, since: choices.since });
            }}
          />
        </section>
        <Code
          samples={streamSamples(url, { channel: choices.channel ?? choices.kind.address, since: choices.since })}
        />
      </div>
      <section class="panel" aria-labelledby="received">
        <div class="panel-head">
          <h2 id="received">{followed?.channel ?? 'Nothing is followed'}</h2>
          {followed !== null && (
            <span class="actions">
              <button type="button" data-action="pause-channel" onClick={follow.switchPause}>
                {follow.isPaused.value ? 'Resume' : 'Pause'}
              </button>
              <button type="button" data-action="unsubscribe" onClick={follow.end}>
                Unsubscribe
              </button>
            </span>
          )}
        </div>
        {followed === null && received === 0 ? (
          <p class="muted">
            Frames are listed here as they come, the newest first, with their number, their delay and what is missing.
            Choose a channel and subscribe.
          </p>
        ) : (
          <Facts list={list.value} state={state} />
        )}
      </section>
      <Frames list={list} />
    </>
  );
}

/** The same subscription as code. */
function Code({ samples }: { readonly samples: readonly StreamSample[] }) {
  const languages = samples.map(({ name, title }) => [name, title] as const);
  const language = chosen('code', languages);
  const { name, text } = samples.find((sample) => sample.name === language)!;
  return (
    <section class="panel" aria-labelledby="code">
      <h2 id="code">The same in code</h2>
      <div class="filters">
        <Choice name="code" label="Language" options={languages} />
        <Copy text={text} />
      </div>
      <pre class="code" data-field="code" data-language={name}>
        {text}
      </pre>
      <p class="muted">
        The key comes from the environment variable <code>PARALLAX_TOKEN</code>.
      </p>
    </section>
  );
}
