import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import type { ActionDto } from '../openshift/action-row'
import { aboveOwn, against, closing } from './to-confirm'
import { recordSkew, skewCluster } from './record'
import { AcknowledgeInput } from './schemas'

/** Records a boot image version as the oldest in use (Manual): an honour system, which is why it carries who and why. */
export async function acknowledgeSkew(ctx: Ctx, input: unknown): Promise<ActionDto> {
  requirePermission(ctx, 'skew:act')
  const { versionKind, version, ...wish } = parseInput(AcknowledgeInput, input)
  const confirmed = await requireConfirmed({ ...wish, versionKind, version })
  return recordSkew(ctx, { action: 'acknowledge', versionKind, version }, { ...wish, ...confirmed })
}

interface Acknowledged {
  clusterId: string
  versionKind: 'OCPVersion' | 'RHCOSVersion'
  version: string
  newerConfirmed: boolean
  closingConfirmed: boolean
  againstConfirmed: boolean
}

/** What of a version had to be confirmed; throws where it had to be and is not. */
export async function requireConfirmed({ clusterId, versionKind, version, ...said }: Acknowledged) {
  const card = await skewCluster(clusterId)
  const [newer, closes, contra] = [aboveOwn, closing, against].map((asks) => asks(card, versionKind, version))
  const open =
    (!said.newerConfirmed && newer) || (!said.closingConfirmed && closes) || (!said.againstConfirmed && contra)
  if (open)
    throw new ServiceError('invalid', open, {
      hint: 'Say the oldest version that machines were started from, or confirm that this one is to be recorded.',
      fields: [{ field: 'version', message: open }],
    })
  return { newerConfirmed: newer !== null, closingConfirmed: closes !== null, againstConfirmed: contra !== null }
}
