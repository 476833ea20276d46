import { createTradesV1 } from './001-create-trades-v1.ts';
import { createMarketsV1 } from './002-create-markets-v1.ts';
import { createCandlesV1 } from './003-create-candles-v1.ts';
import { createEventsV1 } from './004-create-events-v1.ts';
import { createSpreadsV1 } from './005-create-spreads-v1.ts';
import { createArbitrageV1 } from './006-create-arbitrage-v1.ts';
import { createUsageV1 } from './007-create-usage-v1.ts';
import { createAuditLogV1 } from './008-create-audit-log-v1.ts';
import { createDeliveriesV1 } from './009-create-deliveries-v1.ts';
import { createDeliveryAttemptsV1 } from './010-create-delivery-attempts-v1.ts';
import { createDisputePhasesV1 } from './011-create-dispute-phases-v1.ts';
import { createResolutionsV1 } from './012-create-resolutions-v1.ts';
import { createAnomaliesV1 } from './013-create-anomalies-v1.ts';
import { createArbitrageSignalsV1 } from './014-create-arbitrage-signals-v1.ts';
import { indexTradesWalletsV1 } from './015-index-trades-wallets-v1.ts';
import { indexAnomaliesMarketsV1 } from './016-index-anomalies-markets-v1.ts';
import { alterResolutionsV2 } from './017-alter-resolutions-v2.ts';
import { alterEventsV2 } from './018-alter-events-v2.ts';
import { alterMarketsV2 } from './019-alter-markets-v2.ts';
import { alterDeliveriesV2 } from './020-alter-deliveries-v2.ts';
import { alterDeliveryAttemptsV2 } from './021-alter-delivery-attempts-v2.ts';
import { alterAuditLogV2 } from './022-alter-audit-log-v2.ts';
import type { Migration } from './migration.ts';

/** Every migration, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [
  createTradesV1,
  createMarketsV1,
  createCandlesV1,
  createEventsV1,
  createSpreadsV1,
  createArbitrageV1,
  createUsageV1,
  createAuditLogV1,
  createDeliveriesV1,
  createDeliveryAttemptsV1,
  createDisputePhasesV1,
  createResolutionsV1,
  createAnomaliesV1,
  createArbitrageSignalsV1,
  indexTradesWalletsV1,
  indexAnomaliesMarketsV1,
  alterResolutionsV2,
  alterEventsV2,
  alterMarketsV2,
  alterDeliveriesV2,
  alterDeliveryAttemptsV2,
  alterAuditLogV2,
];
