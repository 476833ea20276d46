/** Starts the simulated external exchange alone, with the klines of the complete simulator of the same seed. */
import { createFaultBoard } from './faults/fault-board.ts';
import { startHttpServer } from './sockets/http-host.ts';
import { createExchange, type ExchangeOptions, type SimulatedExchange } from './venues/venue-a/exchange/exchange.ts';

interface StartedExchange extends Pick<SimulatedExchange, 'limitExceeded'> {
  readonly url: string;
  close(): Promise<void>;
}

/** `onRequest` is called with the path and query of each request. */
export async function startExchange({
  onRequest = () => {},
  now = Date.now,
  ...options
}: Omit<ExchangeOptions, 'now'> & {
  readonly now?: () => number;
  readonly onRequest?: (request: string) => void;
}): Promise<StartedExchange> {
  const exchange = createExchange({ ...options, now });
  const host = {
    prefix: '/venue_a.klines',
    target: 'venue_a.klines' as const,
    answer: (request: Parameters<SimulatedExchange['answer']>[0]) => {
      onRequest(`${request.path}?${request.query}`);
      return exchange.answer(request);
    },
  };
  const onError = (error: unknown) => void process.stderr.write(`simulated exchange: ${error}\n`);
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, [host], [], createFaultBoard(Date.now), onError);
  return {
    url: `http://127.0.0.1:${server.port}${host.prefix}`,
    limitExceeded: exchange.limitExceeded,
    close: () => server.close(),
  };
}
