/** Organizations and what is listed to them, for suites that have several nodes. */
import type { ControlNodes } from './control-nodes.ts';
import { ask, expectAnswer } from './rest-client.ts';
import { eventually, type Service } from './service.ts';

export interface Organization {
  readonly id: string;
  readonly token: string;
}

/** Makes an organization, whose admin token every node has hashed once: that alone takes a while and is limited. */
export async function organization({ apis }: ControlNodes, name: string, plan = 'enterprise'): Promise<Organization> {
  const { body } = await expectAnswer(201, apis[0], 'POST', '/v1/organizations', { body: { name, plan } });
  const { token } = body.adminKey as { token: string };
  for (const api of apis) {
    await eventually(
      () => ask(api, 'GET', '/keys', { token }),
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

/** All deliveries of a webhook, page by page. */
export async function deliveriesOf(node: Pick<Service, 'rest'>, webhookId: string, token: string) {
  const rows: DeliveryRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v1/webhooks/${webhookId}/deliveries?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await expectAnswer(200, node, 'GET', path, { token });
    rows.push(...(body.deliveries as DeliveryRow[]));
    cursor = body.pagination.nextCursor as string | null;
  }
  return rows;
}
