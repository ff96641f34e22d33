import { db } from '@/lib/db/client'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { certificateEnd } from './certificate'
import { flushUpdaterCalls, noted } from './record'
import { RemoveUpdaterInput } from './schemas'
import { discover, forgetHandlers, UpdaterError } from './transport'

export interface UpdaterCheck {
  /** What it handles; empty where it did not answer. */
  hooks: string[]
  ms: number
  /** Of the certificate that it shows; null: it showed none that its authority signed. */
  certificateEnds: string | null
  /** Why it is of no use now, in one sentence; null: it is. */
  problem: string | null
}

const NEEDED = ['UpdateMachine', 'CanUpdateMachine', 'CanUpdateMachineSet']

/** Asks an updater now what it handles, whatever was known before. What it finds is its health from then on. */
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
    const missing = NEEDED.filter((hook) => !hooks.includes(hook))
    const problem = missing.length > 0 ? `It does not handle ${missing.join(' or ')}.` : null
    const ends = await certificateEnd(updater)
    return { hooks, ms, certificateEnds: ends?.toISOString() ?? null, problem }
  } catch (error) {
    if (!(error instanceof UpdaterError)) throw error
    return { hooks: [], ms: Math.round(performance.now() - began), certificateEnds: null, problem: error.message }
  } finally {
    await flushUpdaterCalls()
  }
}
