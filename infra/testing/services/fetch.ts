/** Fetches Kafka and the registry into `.cache/services`: `node infra/testing/run-ts.mjs infra/testing/services/fetch.ts`. */
import { fetchServices, servicesMissing } from './packages.ts';

const missing = servicesMissing();
if (missing !== null) throw new Error(missing);
await fetchServices();
