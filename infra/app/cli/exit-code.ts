import { UpstreamError } from '#ingest/feed/errors';
import { RecordingError } from '#schemas/domain/recording';
import { RegistryMismatchError } from '../../codec/checked-registry.ts';
import { RegistryError } from '../../codec/confluent-registry.ts';
import { SettingError } from '../../config/declare.ts';
import { LogError } from '../../log/log.ts';
import { StateVersionError } from '../../stages/snapshots.ts';
import { TrimmedInputError } from '../../stages/start-position.ts';
import { StoreError } from '../../store/store.ts';
import { PartFailedError } from '../../telemetry/health.ts';
import { ReplayRefusedError } from './replay/replay-refused-error.ts';
import { StageThreadError } from './replay/threads/run-in-thread.ts';
import { DockerError } from './stack/docker.ts';

/** Exit code of an error that the operator can fix, of which only the message is printed; null for all others. */
export function exitCodeOf(error: unknown): number | null {
  if (error instanceof SettingError) return 2;
  if (error instanceof LogError || error instanceof StoreError || error instanceof RecordingError) return 1;
  if (error instanceof RegistryError || error instanceof RegistryMismatchError || error instanceof PartFailedError)
    return 1;
  if (error instanceof UpstreamError) return 1;
  if (error instanceof TrimmedInputError || error instanceof StateVersionError) return 1;
  if (error instanceof ReplayRefusedError || error instanceof StageThreadError || error instanceof DockerError)
    return 1;
  return null;
}
