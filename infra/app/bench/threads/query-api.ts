/** Service of the REST benchmark: only the query API, with the flags and environment of `npm start`. */
import { start as startQueryApi } from '#query-api/start';
import { loadSettings } from '../../../config/settings.ts';
import { closeInReverse } from '../../../runtime/closing.ts';
import { createHealth } from '../../../telemetry/health.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { openPorts } from '../../cli/ports.ts';
import { programArguments } from './program-arguments.ts';

const settings = loadSettings(programArguments(), process.env);
const ports = await openPorts(settings);
const logger = createLogger('error');
const api = await startQueryApi({ settings, ...ports, logger, metrics: createMetrics(), health: createHealth() });
process.once('SIGTERM', () => void closeInReverse([() => ports.close(), () => api.close()]));
console.log(`REST ${api.url}`);
