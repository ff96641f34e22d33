import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { namesChange } from '@/lib/domain/health-checks'
import { KubeError } from '@/lib/kubernetes/types'
import { lastRefusal } from '@/lib/services/audit/last-refusal'
import { recordAudit } from '@/lib/services/audit/record'
import { systemCtx } from '@/lib/services/context'
import { besides } from '../beside'
import { owned } from '../planner/common'
import type { ClusterView } from '../types'
import { restoreOne, skipOne } from './write'
import { workOf, type Work } from './work'

/** What the API server refused is not asked for again at once. */
const REFUSED_MS = 30_000
const LANES = 5
const NAMED = 50

const HOW = {
  skip: { intent: 'remediation.skip', action: 'remediation.skipped' },
  restore: { intent: 'remediation.restore', action: 'remediation.restored' },
} as const
type How = keyof typeof HOW

/** One round over a cluster; a change that the API server does not answer about keeps no other one from it. `refused`: until when what was refused for a change is left alone. */
export async function skipWhereAsked(
  view: ClusterView,
  refused: Map<string, number>,
  stopped: () => boolean = () => false,
): Promise<void> {
  for (const [key, until] of refused) if (until <= Date.now()) refused.delete(key)
  const work = await workOf(view, [...refused.keys()])
  const changes = (['skip', 'restore'] as const).flatMap((how) =>
    [...new Set(work[how].map(({ changeId }) => changeId))].map((changeId) => ({ how, changeId })),
  )
  const write = async ({ how, changeId }: (typeof changes)[number]): Promise<void> => {
    const key = `${how} ${changeId}`
    if (refused.has(key)) return
    const machines = work[how].filter((one) => one.changeId === changeId)
    let written = false
    try {
      written = await writeAll(view, how, changeId, machines)
    } finally {
      // Also where the API server does not answer: the intent is on record, and not every two seconds.
      if (!written) refused.set(key, Date.now() + REFUSED_MS)
    }
  }
  await beside(view).each(changes, ({ changeId }) => changeId, write, stopped)
}

const beside = besides()

/** Recorded first, by the owner of the cluster, then written, then what the API server answered. False where it refused. */
async function writeAll(view: ClusterView, how: How, changeId: string, machines: Work[]): Promise<boolean> {
  const about = await aboutOf(view, changeId, machines)
  const told = await lastRefusal(HOW[how].action, about.target)
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    // Written down before it is set: whoever takes it away again is not fought.
    if (how === 'skip') {
      const data = machines.map(({ machineId }) => ({ changeId, machineId, state: 'setting' }))
      await tx.remediationSkip.createMany({ data, skipDuplicates: true })
      const where = { changeId, machineId: { in: machines.map(({ machineId }) => machineId) }, state: 'taken' }
      await tx.remediationSkip.updateMany({ where, data: { state: 'setting' } })
    }
    if (told === null) await recordAudit(tx, systemCtx('remediation'), { ...about, action: HOW[how].intent })
  })
  const { written, refusal } = await inLanes(view, how, machines)
  const words = refusal?.message ?? null
  await db().$transaction(async (tx) => {
    await owned(tx, view)
    if (about.known) await tx.change.update({ where: { id: changeId }, data: { skipsRefused: words } })
    await announce(tx, { topic: 'changes', cluster: view.clusterId, ...(about.known ? { ids: [changeId] } : {}) })
    if (words !== null && words === told) return
    await recordAudit(tx, systemCtx('remediation'), {
      ...{ target: about.target, cluster: about.cluster, action: HOW[how].action },
      ...(words === null ? {} : { result: 'refused' as const }),
      answer: words ?? `${written.length} of ${machines.length} machines were written`,
      details: { ...about.details, machines: written.slice(0, NAMED) },
    })
  })
  return words === null
}

/** A change, or where a mark names none that is known, a machine. */
async function aboutOf({ clusterId, name }: ClusterView, changeId: string, machines: Work[]) {
  const known = namesChange(changeId) ? await db().change.findFirst({ where: { id: changeId, clusterId } }) : null
  const [first] = machines as [Work, ...Work[]]
  return {
    known: known !== null,
    target: known
      ? { kind: known.groupKind, id: known.id, name: `${known.namespace}/${known.groupName}` }
      : { kind: 'Machine', id: first.machineId, name: `${first.namespace}/${first.name}` },
    cluster: { id: clusterId, name },
    details: {
      ...(known ? { summary: known.summary } : {}),
      machines: machines.slice(0, NAMED).map((one) => `${one.namespace}/${one.name}`),
    },
  }
}

/** Of whom one is refused for want of a right, the others would be, too. Throws where the API server did not answer: it is repeated. */
async function inLanes(view: ClusterView, how: How, machines: Work[]) {
  const written: string[] = []
  let refusal: KubeError | null = null
  const left = machines.values()
  let forbidden = false
  const lane = async (): Promise<void> => {
    for (const one of left) {
      if (forbidden) return
      try {
        if (await (how === 'skip' ? skipOne : restoreOne)(view, one)) written.push(`${one.namespace}/${one.name}`)
      } catch (error) {
        if (!(error instanceof KubeError)) throw error
        refusal = error
        forbidden ||= error.code === 401 || error.code === 403
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
  return { written, refusal: refusal as KubeError | null }
}
