import { expect, it } from 'vitest';
import { readBody } from './read-body.ts';

it('yields the chunks of a body', async () => {
  const chunks: string[] = [];
  for await (const chunk of readBody(new Response('some text'), new AbortController().signal))
    chunks.push(Buffer.from(chunk).toString());
  expect(chunks.join('')).toBe('some text');
});

it('ends when the signal aborts, also if the body itself never does', async () => {
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('all that comes')),
    cancel: () => new Promise(() => {}),
  });
  const closing = new AbortController();
  const chunks = readBody(new Response(endless), closing.signal);
  expect((await chunks.next()).done).toBe(false);
  const next = chunks.next();
  closing.abort(new Error('closing'));
  await expect(next).rejects.toThrow('closing');
});

it('reads nothing if the signal has aborted before', async () => {
  const signal = AbortSignal.abort(new Error('closed'));
  await expect(readBody(new Response('text'), signal).next()).rejects.toThrow('closed');
});
