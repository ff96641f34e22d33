import { parseInput, requirePermission, type Ctx } from '../context'
import type { ActionDto } from '../openshift/action-row'
import { recordSkew } from './record'
import { AcknowledgeInput } from './schemas'

/** Records a boot image version as the oldest in use (Manual): an honour system, which is why it carries who and why. */
export async function acknowledgeSkew(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  const { versionKind, version, ...wish } = parseInput(AcknowledgeInput, input)
  return recordSkew(ctx, { action: 'acknowledge', versionKind, version }, wish)
}
