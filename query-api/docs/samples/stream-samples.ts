/** A subscription as code that can be copied. The key comes from the environment, so that what is copied holds no secret. */

/** What is subscribed to. */
export interface Subscribed {
  readonly channel: string;
  /** A cursor or `earliest`; null for the next event on. */
  readonly since: string | null;
}

export interface StreamSample {
  readonly name: 'typescript' | 'python' | 'wscat';
  readonly title: string;
  /** The name of the language in Markdown. */
  readonly language: string;
  readonly text: string;
}

/** The stream of a service that was started with its defaults. */
export const LOCAL_STREAM_URL = 'ws://127.0.0.1:8081/v1/stream';

/** How long wscat stays connected. */
const WSCAT_SECONDS = 3_600;

export function streamSamples(url: string, { channel, since }: Subscribed): readonly StreamSample[] {
  const frame = { type: 'subscribe', channel, ...(since === null ? {} : { since }) };
  const [quotedUrl, lines] = [JSON.stringify(url), JSON.stringify(frame, null, 2)];
  const command = `-c ${inShell(url)} -H "Authorization: Bearer $PARALLAX_TOKEN" -w ${WSCAT_SECONDS} -x ${inShell(JSON.stringify(frame))}`;
  return [
    { name: 'typescript', title: 'TypeScript', language: 'ts', text: typescriptOf(quotedUrl, lines) },
    { name: 'python', title: 'Python', language: 'python', text: pythonOf(quotedUrl, lines) },
    { name: 'wscat', title: 'wscat', language: 'sh', text: `npx wscat ${command}` },
  ];
}

/** A text as one word of a POSIX shell. */
const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const typescriptOf = (url: string, frame: string): string => `import { env } from 'node:process';
import { WebSocket } from 'ws';

const subscribe = ${frame};
const socket = new WebSocket(${url}, {
  headers: { authorization: \`Bearer \${env.PARALLAX_TOKEN}\` },
});
socket.on('open', () => socket.send(JSON.stringify(subscribe)));
socket.on('message', (text) => {
  const frame = JSON.parse(String(text));
  console.log(frame.type, frame.seq, frame.data);
});`;

const pythonOf = (url: string, frame: string): string => `import json, os
from websockets.sync.client import connect

subscribe = ${frame}
headers = {"Authorization": f"Bearer {os.environ['PARALLAX_TOKEN']}"}
with connect(${url}, additional_headers=headers) as socket:
    socket.send(json.dumps(subscribe))
    for text in socket:
        frame = json.loads(text)
        print(frame["type"], frame.get("seq"), frame.get("data"))`;
