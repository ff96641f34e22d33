import { ServiceError } from '../errors'
import { parseInput, requirePermission, type Ctx } from '../context'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ClusterId } from '../clusters/schemas'
import { inspectLatch } from './inspect'
import type { LatchStatus } from './status'

/** Compares the latch in the cluster with what it should be, and tries it by a dry run. Changes nothing there. */
export async function checkLatch(ctx: Ctx, input: unknown): Promise<LatchStatus> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId } = parseInput(ClusterId, input)
  try {
    return (await inspectLatch(clusterId)).status
  } catch (error) {
    if (!(error instanceof KubeError) && !(error instanceof KubeUnreachable)) throw error
    const code = error instanceof KubeError ? 'refused' : 'unavailable'
    throw new ServiceError(code, 'The latch could not be checked.', { answer: error.message })
  }
}
