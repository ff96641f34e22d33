import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import type { Prisma } from '@/lib/db/generated/client'
import { recordAudit } from '../audit/record'
import { kubeClientFor } from '../clusters/connection'
import { parseInput, requirePermission, type Ctx } from '../context'
import { ServiceError } from '../errors'
import { applyAll, rehearse } from './apply'
import { inspectLatch } from './inspect'
import { policyData } from './policy-data'
import { InstallLatchInput } from './schemas'
import type { LatchStatus } from './status'
import { latchTarget } from './target'

/**
 * Installs the latch: rehearsed by dry run, then policy and audit in one transaction, then applied and tried.
 * From the transaction on the keeper finishes what is cut short.
 */
export async function installLatch(ctx: Ctx, input: unknown): Promise<{ status: LatchStatus; answers: string[] }> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, ...asked } = parseInput(InstallLatchInput, input)
  const target = await latchTarget(clusterId, asked)
  const client = await kubeClientFor(clusterId)
  await rehearse(client, target)
  const { cluster } = target
  const audit = {
    target: { kind: 'Latch', id: clusterId, name: cluster.name },
    cluster: { id: clusterId, name: cluster.name },
  }
  await db().$transaction(async (tx) => {
    const data = policyData(target, asked.reasonNeeded)
    await tx.policy.upsert({
      where: { clusterId },
      create: { clusterId, ...data },
      update: { ...data, version: { increment: 1 } },
    })
    const pending = {
      state: 'missing',
      message: 'The latch is being installed.',
      findings: [],
      proved: null,
      webhookUrl: target.webhookUrl,
    }
    await tx.managementCluster.update({
      where: { id: clusterId },
      data: {
        latchForm: target.form === 'webhook' ? 'webhook' : 'policy',
        latchStatus: pending as Prisma.InputJsonValue,
      },
    })
    await announce(tx, { topic: 'clusters', cluster: clusterId })
    await recordAudit(tx, ctx, {
      ...audit,
      action: 'latch.install',
      details: { form: target.form, ...target.governance },
    })
  })
  try {
    const answers = await applyAll(client, target)
    const { status } = await inspectLatch(clusterId, { patiently: true })
    await db().$transaction((tx) =>
      recordAudit(tx, ctx, {
        ...audit,
        action: 'latch.installed',
        result: status.state === 'intact' ? 'ok' : 'failed',
        answer: answers.join('\n'),
      }),
    )
    return { status, answers }
  } catch (error) {
    if (error instanceof ServiceError) {
      const answer = error.more.answer ?? error.message
      await db().$transaction((tx) =>
        recordAudit(tx, ctx, { ...audit, action: 'latch.installed', result: 'refused', answer }),
      )
    }
    throw error
  }
}
