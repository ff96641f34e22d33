import type { StoredEvidence } from '@/lib/domain/skew/stored'
import { aboveOwnRelease } from '@/lib/domain/skew/validate'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import type { ActionDto } from '../openshift/action-row'
import { recordSkew, skewCluster } from './record'
import { AcknowledgeInput } from './schemas'

/** Records a boot image version as the oldest in use (Manual): an honour system, which is why it carries who and why. */
export async function acknowledgeSkew(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  const { versionKind, version, newerConfirmed, ...wish } = parseInput(AcknowledgeInput, input)
  const above = await aboveOwn(wish.clusterId, versionKind, version)
  if (above && !newerConfirmed)
    throw new ServiceError('invalid', above, {
      hint: 'Say the oldest version that machines were started from, or confirm that this one is to be recorded.',
      fields: [{ field: 'version', message: above }],
    })
  return recordSkew(ctx, { action: 'acknowledge', versionKind, version }, { ...wish, newerConfirmed: above !== null })
}

/** The API server stores a version that cannot be: here it takes somebody who says so. */
async function aboveOwn(
  clusterId: string,
  kind: 'OCPVersion' | 'RHCOSVersion',
  version: string,
): Promise<string | null> {
  const card = await skewCluster(clusterId)
  const { streamRelease } = card.evidence as unknown as StoredEvidence
  return aboveOwnRelease(kind, version, { release: card.version, streamRelease })
}
