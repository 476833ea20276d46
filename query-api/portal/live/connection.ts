/** The state of the connection of this page. */
import { computed } from '@preact/signals';
import { pausedAt } from './activity.ts';
import { connectionOf } from './connection-of.ts';
import { messageQuota } from './message-quota.ts';
import { faultyResources, lastResponseAt } from './resource-reader.ts';
import { awaySince, isResuming, streamState, subscriptionCount } from './stream.ts';

export const connection = computed(() =>
  connectionOf({
    streamState: streamState.value,
    awaySince: awaySince.value,
    quotaSince: messageQuota.value?.since ?? null,
    subscriptions: subscriptionCount.value,
    isResuming: isResuming.value,
    pausedAt: pausedAt.value,
    faults: [...faultyResources.value.values()].map(({ status }) => status),
    lastResponseAt: lastResponseAt.value,
  }),
);
