import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import type { ActionDto } from '../openshift/action-row'
import { aboveOwn } from './above-own'
import { recordSkew, skewCluster } from './record'
import { AcknowledgeInput } from './schemas'

/** Records a boot image version as the oldest in use (Manual): an honour system, which is why it carries who and why. */
export async function acknowledgeSkew(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  const { versionKind, version, ...wish } = parseInput(AcknowledgeInput, input)
  const confirmed = await requireConfirmed({ ...wish, versionKind, version })
  return recordSkew(ctx, { action: 'acknowledge', versionKind, version }, { ...wish, newerConfirmed: confirmed })
}

interface Acknowledged {
  clusterId: string
  versionKind: 'OCPVersion' | 'RHCOSVersion'
  version: string
  newerConfirmed: boolean
}

/** Whether a version had to be confirmed; throws where it had to be and is not. */
export async function requireConfirmed({ newerConfirmed, ...of }: Acknowledged): Promise<boolean> {
  const above = aboveOwn(await skewCluster(of.clusterId), of.versionKind, of.version)
  if (above && !newerConfirmed)
    throw new ServiceError('invalid', above, {
      hint: 'Say the oldest version that machines were started from, or confirm that this one is to be recorded.',
      fields: [{ field: 'version', message: above }],
    })
  return above !== null
}
