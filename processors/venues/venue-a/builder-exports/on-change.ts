/** A builder is registered while any organization has an attribution of it. Those of sandboxes cause no requests. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { createPlatformAttribution } from '#schemas/domain/control/commands/create-platform-attribution';
import { deleteOrganization } from '#schemas/domain/control/commands/delete-organization';
import { deletePlatformAttribution } from '#schemas/domain/control/commands/delete-platform-attribution';
import { reduceControl } from '#schemas/domain/control/reduce';
import { registeredBuilderTopic } from '#schemas/topics/builder-exports';
import type { ControlChange } from '#schemas/topics/control';
import { firstBuilderDay } from '#schemas/venues/venue-a/builder-export';
import type { BuilderExportsState } from './state.ts';

const TYPES: ReadonlySet<string> = new Set([
  createPlatformAttribution.type,
  deletePlatformAttribution.type,
  deleteOrganization.type,
]);

export function onChange(
  { control, builders }: BuilderExportsState,
  { value }: StageRecord<ControlChange>,
  emit: Emit,
): void {
  const verdict = reduceControl(control, value);
  if (!verdict.ok || verdict.replayed || !TYPES.has(value.type)) return;
  const registered = new Set<string>();
  for (const { provider, builder, sandbox, createdAt } of control.attributions.values()) {
    if (provider !== 'venue_a' || sandbox) continue;
    registered.add(builder);
    if (builders.has(builder)) continue;
    builders.add(builder);
    emit(registeredBuilderTopic, builder, { builder, since: firstBuilderDay(Date.parse(createdAt)) });
  }
  for (const builder of [...builders]) {
    if (registered.has(builder)) continue;
    builders.delete(builder);
    emit.remove(registeredBuilderTopic, builder);
  }
}
