/** Sends `info` requests: to the self-hosted node first if there is one, else to the venue. All requests share it. */
import type { HttpClient, HttpRequest } from '../../feed/http-client.ts';
import type { NodeInfo } from './node-info.ts';

export interface InfoResponse {
  readonly payload: Buffer;
  readonly source: 'node' | 'official';
}

export interface InfoClientOptions {
  /** Complete URL of the venue's `info`. */
  readonly url: string;
  /** Sends requests to the venue. */
  readonly http: Pick<HttpClient, 'send'>;
  /** Null without a self-hosted node. */
  readonly node: Pick<NodeInfo, 'read'> | null;
}

export class InfoClient {
  private readonly options: InfoClientOptions;

  constructor(options: InfoClientOptions) {
    this.options = options;
  }

  /** Rejects with an `UpstreamError` if the venue does not answer, or with the signal's reason. A node's failure is hidden. */
  async send(request: Omit<HttpRequest, 'url'> & { readonly body: string }): Promise<InfoResponse> {
    const { url, http, node } = this.options;
    if (node) request.onSend?.();
    const payload = (await node?.read(request.body, request.signal)) ?? null;
    if (payload !== null) return { payload, source: 'node' };
    return { payload: await http.send({ ...request, url }), source: 'official' };
  }
}
