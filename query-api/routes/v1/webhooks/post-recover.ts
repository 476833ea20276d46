import { z } from 'zod';
import {
  compressDeliveries,
  RECOVERED_DELIVERIES_MAX,
  RECOVERED_LENGTH_MAX,
  recoverWebhook,
} from '#schemas/domain/control/commands/recover-webhook';
import { ApiError } from '#schemas/errors';
import { timeParameter } from '#schemas/http/parameters';
import { attemptTopic, deliveryTopic } from '#schemas/topics/webhooks';
import { oldestRetainedAt } from '../../../queries/delivery-retention.ts';
import { countFailedDeliveries, readFailedDeliveries } from '../../../queries/read-failed-deliveries.ts';
import { idPath } from '../../id-path.ts';
import { CustomResponse, defineCallerRoute } from '../../route.ts';
import { findWebhook } from './webhook-shapes.ts';

/** Bytes of all bodies that one request reads: some KiB for each delivery. */
const BODY_BYTES_MAX = 64 * 1_024 * 1_024;
/** The last time that the store can hold. */
const FOREVER_MS = Date.UTC(2299, 0, 1);

const tooMany = (message: string) => new ApiError('validation_failed', `since: ${message}`, { status: 422 });

export const postRecover = defineCallerRoute({
  method: 'POST',
  path: '/v1/webhooks/:id/recover',
  scope: 'admin',
  sku: null,
  status: 202,
  otherStatuses: [200],
  creates: true,
  summary: 'Sends every failed delivery of a time again, oldest first, each as a new delivery; at most 10,000.',
  params: idPath,
  query: z.object({}),
  body: z
    .strictObject({
      since: timeParameter.describe('Creation time of the oldest delivery, unix ms or ISO-8601.'),
      until: timeParameter.optional().describe('Deliveries created before it, unix ms or ISO-8601; by default all.'),
      dryRun: z.boolean().default(false).describe('If true, the deliveries are only counted, and the status is 200.'),
    })
    .refine(({ since, until }) => until === undefined || since < until, {
      path: ['until'],
      message: 'must be later than since',
    }),
  response: z.object({ deliveries: z.int().describe('Deliveries that are sent again, or would be.') }),
  async handle({ params, body, caller, command, signal }, { control, store, tables, views }) {
    const { orgId, id: webhookId } = findWebhook(control.state, caller, params.id);
    await tables.awaitRows({ topics: [deliveryTopic, attemptTopic], key: webhookId }, signal);
    const since = Math.min(Math.max(body.since, oldestRetainedAt(views.events), 0), FOREVER_MS);
    const filter = { orgId, webhookId, since, until: Math.min(body.until ?? FOREVER_MS, FOREVER_MS) };
    const { deliveries, bytes } = await countFailedDeliveries(store, filter);
    if (deliveries > RECOVERED_DELIVERIES_MAX)
      throw tooMany(`${deliveries} deliveries failed in this time, more than ${RECOVERED_DELIVERIES_MAX}`);
    if (bytes > BODY_BYTES_MAX) throw tooMany('the failed deliveries of this time are too large for one request');
    if (body.dryRun) return new CustomResponse(200, { deliveries });
    const failed = await readFailedDeliveries(store, filter, RECOVERED_DELIVERIES_MAX);
    const compressed = await compressDeliveries(failed);
    if (compressed.length > RECOVERED_LENGTH_MAX)
      throw tooMany('the failed deliveries of this time are too large for one request');
    const recovery = { webhookId, count: failed.length, deliveries: compressed };
    return { deliveries: (await command(recoverWebhook, recovery)).result.deliveries };
  },
});
