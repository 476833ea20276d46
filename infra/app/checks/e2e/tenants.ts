/** Creates organizations and lists deliveries, for suites with several nodes. */
import type { ControlNodes } from './control-nodes.ts';
import { expectStatus, sendRequest } from './rest-client.ts';
import { eventually, type Service } from './service.ts';

export interface Organization {
  readonly id: string;
  readonly token: string;
}

/** Creates an organization and sends one request to each node, since hashing a new token is slow and rate-limited. */
export async function organization(
  { apis }: Pick<ControlNodes, 'apis'>,
  name: string,
  plan = 'enterprise',
): Promise<Organization> {
  const { body } = await expectStatus(201, apis[0], 'POST', '/v1/organizations', { body: { name, plan } });
  const { token } = body.adminKey as { token: string };
  for (const api of apis) {
    await eventually(
      () => sendRequest(api, 'GET', '/keys', { token }),
      ({ status }) => status === 200,
    );
  }
  return { id: body.id as string, token };
}

export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: readonly { readonly status: number | null; readonly error: string | null }[];
}

/** Reads all deliveries of a webhook, page by page. */
export async function deliveriesOf(node: Pick<Service, 'rest'>, webhookId: string, token: string) {
  const rows: DeliveryRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v1/webhooks/${webhookId}/deliveries?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await expectStatus(200, node, 'GET', path, { token });
    rows.push(...(body.deliveries as DeliveryRow[]));
    cursor = body.pagination.nextCursor as string | null;
  }
  return rows;
}
