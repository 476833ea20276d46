/**
 * Real services for tests: Apache Kafka and the Apicurio schema registry, fetched once by Maven into `.cache/services`
 * and run as processes on free loopback ports. Suites that need them are skipped with the sentence of
 * `servicesMissing()`.
 */
export { type KafkaOptions, type KafkaService, startKafka } from './services/kafka.ts';
export { startMemoryRegistry } from './services/memory-registry.ts';
export { fetchServices, servicesMissing } from './services/packages.ts';
export { type RegistryService, startRegistry } from './services/registry.ts';
