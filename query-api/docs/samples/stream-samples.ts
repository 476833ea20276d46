/** A subscription as code that can be copied. The token comes from the environment. */
import { code } from '../page.ts';

/** The subscription of a channel in three languages. In the name of the channel, `…` stands for an id. */
export function streamSamples(channel: string): string[] {
  const frame = JSON.stringify({ type: 'subscribe', channel });
  return [
    '### wscat',
    code(
      'sh',
      `npx wscat -c ws://127.0.0.1:8081/v1/stream -H "Authorization: Bearer $PARALLAX_TOKEN" -x '${frame}' -w 60`,
    ),
    '### TypeScript',
    code(
      'ts',
      `import WebSocket from 'ws';

const headers = { authorization: \`Bearer \${process.env.PARALLAX_TOKEN}\` };
const socket = new WebSocket('ws://127.0.0.1:8081/v1/stream', { headers });
socket.on('open', () => socket.send('${frame}'));
socket.on('message', (text) => console.log(JSON.parse(String(text))));`,
    ),
    '### Python',
    code(
      'python',
      `import json, os
from websockets.sync.client import connect

headers = {"Authorization": f"Bearer {os.environ['PARALLAX_TOKEN']}"}
with connect("ws://127.0.0.1:8081/v1/stream", additional_headers=headers) as socket:
    socket.send('${frame}')
    for text in socket:
        print(json.loads(text))`,
    ),
  ];
}
