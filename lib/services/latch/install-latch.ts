import type * as z from 'zod'
import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import { explain } from '../clusters/probe'
import { refuseLatch, uidsThere } from '../clusters/refuse-copy'
import { parseInput, requirePermission, type Ctx } from '../context'
import { applyAll, rehearse } from './apply'
import { requireLettingGo } from './barred'
import { inspectLatch } from './inspect'
import { withLatchLock } from './lock'
import { requireLookedAt } from './looked-at'
import { outcome } from './outcome'
import { policyData } from './policy-data'
import { InstallLatchInput } from './schemas'
import type { LatchStatus } from './status'
import { formName, latchTarget } from './target'
import { beginWatching, pauseInstead } from './watching'

type Asked = Omit<z.infer<typeof InstallLatchInput>, 'clusterId'>
interface Installed {
  status: LatchStatus
  answers: string[]
}

/**
 * Installs the latch: rehearsed by dry run, then policy and audit in one transaction, then applied and tried.
 * From the transaction on the keeper finishes what is cut short.
 */
export async function installLatch(ctx: Ctx, input: unknown): Promise<Installed> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, ...asked } = parseInput(InstallLatchInput, input)
  return withLatchLock(clusterId, () => install(ctx, clusterId, asked))
}

async function install(ctx: Ctx, clusterId: string, { version, ...asked }: Asked): Promise<Installed> {
  const target = await latchTarget(clusterId, asked)
  requireLookedAt(target, version)
  requireLettingGo(target)
  const client = await kubeClientFor(clusterId)
  await rehearse(client, target)
  const { cluster, chosenUrl } = target
  const uids = await uidsThere(client, target.capabilities).catch((error: unknown) => {
    throw explain(error, cluster.server)
  })
  const audit = {
    target: { kind: 'Latch', id: clusterId, name: cluster.name },
    cluster: { id: clusterId, name: cluster.name },
  }
  await db().$transaction(async (tx) => {
    await refuseLatch(tx, cluster, uids)
    // What nobody chose is kept as it was said: what latched them before is not taken for a choice then.
    const data = policyData(target, { ...asked, pools: target.pools ?? undefined })
    await tx.policy.upsert({
      where: { clusterId },
      create: { clusterId, ...data },
      update: { ...data, version: { increment: 1 } },
    })
    const pending: LatchStatus = {
      ...{ state: 'missing', message: 'The latch is being installed.', findings: [], proved: null },
      ...(chosenUrl ? { chosenUrl } : {}),
    }
    await tx.managementCluster.update({
      where: { id: clusterId },
      data: {
        latchForm: formName(target.form),
        latchStatus: pending as unknown as Prisma.InputJsonValue,
      },
    })
    if (target.form === 'watch') await beginWatching(tx, clusterId)
    else if (target.apart && target.pools === 'pausing') await beginWatching(tx, clusterId, 'pools')
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, {
      ...audit,
      action: 'latch.install',
      details: { form: target.form, ...target.governance, ...(target.pools ? { pools: target.pools } : {}) },
    })
  })
  const details = { form: formName(target.form) }
  return outcome(
    ctx,
    { ...audit, action: 'latch.installed', details },
    'The latch could not be installed.',
    async (say) => {
      const answers: string[] = []
      const refused = await applyAll(client, target, (answer) => {
        answers.push(answer)
        say(answer)
      })
      if (refused) await pauseInstead(clusterId)
      const { status } = await inspectLatch(clusterId, { patiently: true, refused })
      const ok = ['intact', 'untried', 'watching'].includes(status.state)
      return { value: { status, answers }, ok, refused: refused !== null }
    },
  )
}
