/** A subscription as code. The key comes from the environment, so that what is copied holds no secret. */

export interface Wanted {
  readonly channel: string;
  /** A cursor or `earliest`; null for the next event on. */
  readonly since: string | null;
}

export interface Snippet {
  readonly name: 'typescript' | 'python' | 'wscat';
  readonly text: string;
}

export function snippetsOf(url: string, { channel, since }: Wanted): readonly Snippet[] {
  const frame = { type: 'subscribe', channel, ...(since === null ? {} : { since }) };
  const [quotedUrl, lines] = [JSON.stringify(url), JSON.stringify(frame, null, 2)];
  const command = `-c ${inShell(url)} -H "Authorization: Bearer $PARALLAX_TOKEN" -w 3600 -x ${inShell(JSON.stringify(frame))}`;
  return [
    { name: 'typescript', text: typescriptOf(quotedUrl, lines) },
    { name: 'python', text: pythonOf(quotedUrl, lines) },
    { name: 'wscat', text: `npx wscat ${command}\n` },
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
});
`;

const pythonOf = (url: string, frame: string): string => `import json, os
from websockets.sync.client import connect

subscribe = ${frame}
headers = {"Authorization": f"Bearer {os.environ['PARALLAX_TOKEN']}"}
with connect(${url}, additional_headers=headers) as socket:
    socket.send(json.dumps(subscribe))
    for text in socket:
        frame = json.loads(text)
        print(frame["type"], frame.get("seq"), frame.get("data"))
`;
