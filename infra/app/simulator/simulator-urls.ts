import type { UpstreamSetting } from '#schemas/venues/streams';

/** URLs of the simulated interfaces, under the names of the service's settings. */
export type SimulatorUrls = Readonly<Record<UpstreamSetting, string>>;
