import { db, pool } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { certificateEnd } from './certificate'
import { readGroups } from './groups'
import { fitnessOf, type Fitness } from './hooks'
import { flushUpdaterCalls, noted } from './record'
import { RemoveUpdaterInput } from './schemas'
import { discover, forgetHandlers, UpdaterError } from './transport'

export interface UpdaterCheck extends Fitness {
  /** What it handles; empty where it did not answer. */
  hooks: string[]
  ms: number
  /** Of the certificate that it shows; null: it showed none that its authority signed. */
  certificateEnds: string | null
}

/**
 * Asks an updater now what it handles, whatever was known before. What it finds is its health from then on, and what waits
 * is asked about anew: whoever presses this may have changed what stands behind the address.
 */
export async function checkUpdater(ctx: Ctx, input: unknown): Promise<UpdaterCheck> {
  requirePermission(ctx, 'updaters:write')
  const { updaterId } = parseInput(RemoveUpdaterInput, input)
  const updater = await db().updater.findUnique({ where: { id: updaterId } })
  if (!updater) throw new ServiceError('not-found', 'There is no such updater.')
  forgetHandlers(updater)
  const began = performance.now()
  try {
    const hooks = await noted(updater, 'Discovery', async () => {
      const found = (await discover(updater)).map(({ hook }) => hook)
      return [found, `handles ${found.join(', ') || 'nothing'}`]
    })
    const ms = Math.round(performance.now() - began)
    const groups = readGroups(updater)
    const ends = await certificateEnd(updater)
    const certificateEnds = ends?.toISOString() ?? null
    return { hooks, ms, certificateEnds, ...fitnessOf(hooks, groups === 'unreadable' ? null : groups) }
  } catch (error) {
    if (!(error instanceof UpdaterError)) throw error
    const ms = Math.round(performance.now() - began)
    return { hooks: [], ms, certificateEnds: null, problem: error.message, notFor: null }
  } finally {
    await flushUpdaterCalls()
    await announce(pool(), { topic: 'updaters', cluster: updater.clusterId ?? undefined })
  }
}
