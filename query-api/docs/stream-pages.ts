/** The pages of the stream, from the AsyncAPI document and the guide for writers of clients. */
import { VERSION } from '#infra/config/version';
import type { JsonObject } from '#schemas/json-schema';
import { asyncApiDocument } from '#schemas/stream/asyncapi';
import { type AnyKind, nameOfKind } from '#schemas/stream/channel-address';
import { ALL_KINDS } from '#schemas/stream/channel-kinds';
import { formatChannel } from '#schemas/stream/channel-names';
import { readGuide, titleOf } from './guides.ts';
import { code, type DocPage, listOf, table, text } from './page.ts';
import { LOCAL_STREAM_URL, streamSamples } from './samples/stream-samples.ts';
import { type SharedSchemas, schemaTable } from './schema-table.ts';
import { type SubscribeParameter, subscribeForm } from './subscribe-form.ts';
import { TRY_HEADING } from './try-form.ts';

const STREAM = '/docs/stream';
const GUIDE = 'websocket';
/** The channel of the document that is the connection itself. */
const CONNECTION = 'stream';
const INDENT = 2;

interface Message {
  readonly name: string;
  readonly summary?: string;
  readonly payload: JsonObject;
}
interface Channel {
  readonly address: string;
  readonly summary: string;
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly enum?: readonly string[] }>>;
  readonly messages: Readonly<Record<string, Message>>;
  readonly 'x-refill'?: string | null;
  readonly 'x-delivering'?: boolean;
}

/** The pages of the connection and of every kind of channel, after the guide. */
export function streamPages(): DocPage[] {
  const { channels, components } = asyncApiDocument(VERSION) as unknown as {
    channels: Record<string, Channel>;
    components: { schemas: SharedSchemas };
  };
  const guide = readGuide(GUIDE);
  const examples = exampleFrames(guide);
  const pages = Object.entries(channels).map(([name, channel]) =>
    name === CONNECTION
      ? connectionPage(channel, components.schemas, examples)
      : channelPage(name, channel, components.schemas, examples),
  );
  const index: DocPage = {
    path: STREAM,
    title: titleOf(guide),
    summary: 'Live data over one WebSocket: every frame, every channel, how to resume.',
    group: 'API',
    names: ['docs/websocket.md'],
    markdown: () =>
      `${guide}\n## Every channel\n\n${listOf(pages)}\n\n[/asyncapi.json](/asyncapi.json) and [/asyncapi.yaml](/asyncapi.yaml) describe the same for programs, as AsyncAPI 3.0.\n`,
  };
  return [index, ...pages];
}

/** Frames of the guide by their type, events by the type of their data; the first of each. */
function exampleFrames(guide: string): ReadonlyMap<string, string> {
  const frames = new Map<string, string>();
  for (const [line] of guide.matchAll(/^\{"type":.*\}$/gm)) {
    const frame = JSON.parse(line) as { type: string; data?: { type: string } };
    const shown = JSON.stringify(frame, null, INDENT);
    const type = frame.data?.type ?? frame.type;
    for (const name of frame.type === 'event' ? ['event', type] : [type])
      if (!frames.has(name)) frames.set(name, shown);
  }
  return frames;
}

function connectionPage(
  { address, summary, messages }: Channel,
  shared: SharedSchemas,
  examples: ReadonlyMap<string, string>,
): DocPage {
  const sections = Object.values(messages).map((message) =>
    [
      `## \`${message.name}\``,
      message.summary ?? '',
      schemaTable(message.payload, shared),
      ...(examples.has(message.name) ? [code('json', examples.get(message.name)!)] : []),
    ].join('\n\n'),
  );
  return {
    path: `${STREAM}/${CONNECTION}`,
    title: 'Connection and frames',
    summary: `Every frame of \`${address}\`.`,
    group: 'API',
    parent: STREAM,
    markdown: () => `# Connection and frames\n\n\`${address}\`: ${summary}\n\n${sections.join('\n\n')}\n`,
  };
}

function channelPage(
  name: string,
  channel: Channel,
  shared: SharedSchemas,
  examples: ReadonlyMap<string, string>,
): DocPage {
  const { address, summary, messages, parameters = {} } = channel;
  const kind = ALL_KINDS.find((declared) => nameOfKind(declared) === name)!;
  const refill = channel['x-refill'];
  const rows = Object.entries(parameters).map(([parameter, { description, enum: values }]) => [
    `\`${parameter}\``,
    values ? values.map((value) => `\`${value}\``).join(', ') : 'text',
    description,
  ]);
  const example = examples.get(kind.type);
  // In the name of the example, `…` stands for an id.
  const subscription = streamSamples(LOCAL_STREAM_URL, { channel: formatChannel(kind.example), since: null });
  return {
    path: `${STREAM}/${name}`,
    title: address,
    summary,
    group: 'API',
    parent: STREAM,
    names: [address, `svc:stream:${name}`],
    form: () => ({ html: subscribeForm(address, parameterList(parameters, kind)), heading: TRY_HEADING }),
    markdown: () =>
      text(
        `# ${address}`,
        channel['x-delivering'] ? summary : `${summary} Nothing writes its events yet; it can be subscribed.`,
        ...(rows.length === 0 ? [] : ['## Parameters', table(['parameter', 'values', 'meaning'], rows)]),
        '## Subscribe',
        ...subscription.flatMap(({ title, language, text }) => [`### ${title}`, code(language, text)]),
        '## Missing events',
        refill
          ? `A \`gap\` names the REST path that returns what the missing events were about: \`GET ${refill}\`.`
          : 'No REST path returns what missing events of this channel were about.',
        '## Event',
        ...(example === undefined ? [] : [code('json', example)]),
        schemaTable(messages.event!.payload, shared),
        `[WebSocket clients](${STREAM}) describes the other frames, and how to resume.`,
      ),
  };
}

/** The parameters of a kind as fields. Values of the example are filled in where they exist on every service. */
function parameterList(parameters: NonNullable<Channel['parameters']>, { example }: AnyKind): SubscribeParameter[] {
  return Object.entries(parameters).map(([name, { description, enum: values = null }]) => {
    const isId = /Id$/.test(name);
    return { name, description, values, value: isId ? '' : String((example as unknown as JsonObject)[name] ?? '') };
  });
}
