import { randomBytes, randomUUID } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import { createLink, linkPath } from '@/lib/auth/links'
import { setPassword } from '@/lib/auth/redeem-link'
import { db } from '@/lib/db/client'
import { createKubeClient } from '@/lib/kubernetes/client'
import { readKubeconfig } from '@/lib/kubernetes/kubeconfig'
import { recordAudit } from '@/lib/services/audit/record'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { replaceCredentials } from '@/lib/services/clusters/replace-credentials'
import { systemCtx, type Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { registerGate } from '@/lib/services/gate/register-gate'
import { installLatch } from '@/lib/services/latch/install-latch'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { removeUpdater } from '@/lib/services/updaters/remove-updater'
import type { DemoCluster } from './demo-clusters'
import type { DemoUpdater } from './demo-updater'

const ctx: Ctx = systemCtx('demo')
const GROUPS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }

/** A one-time link that signs straight in as the demo's administrator, who has a password that nobody knows. */
export async function demoLink(): Promise<string> {
  return db().$transaction(async (tx) => {
    const email = 'demo@drydock.example'
    let user = await tx.user.findUnique({ where: { email } })
    if (!user) {
      user = await tx.user.create({ data: { id: randomUUID(), email, name: 'Demo admin', role: 'admin' } })
      await setPassword(tx, user.id, await hashPassword(randomBytes(32).toString('base64url')))
      const target = { kind: 'User', id: user.id, name: email }
      await recordAudit(tx, ctx, { action: 'user.created', target, details: { role: 'admin' } })
    }
    return linkPath(await createLink(tx, { userId: user.id }, 60))
  })
}

/** Connects a cluster through the same verbs as a person would; what is there from an earlier start stays. */
export async function connect(cluster: DemoCluster): Promise<{ clusterId: string; fresh: boolean }> {
  const known = await db().managementCluster.findUnique({ where: { name: cluster.name } })
  const { name, kubeconfig } = cluster
  if (!known) return { ...(await addCluster(ctx, { name, kubeconfig })), fresh: true }
  // A sandbox keeps its address and its tokens.
  const same = readKubeconfig(kubeconfig).credentials?.server === known.server
  if (same && cluster.flavour !== 'real') return { clusterId: known.id, fresh: false }
  try {
    await replaceCredentials(ctx, { clusterId: known.id, kubeconfig })
    return { clusterId: known.id, fresh: false }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error
    // Another server under its name (the real managers start empty each time): what was known of the old one goes.
    await db().managementCluster.delete({ where: { id: known.id } })
    return { ...(await addCluster(ctx, { name, kubeconfig })), fresh: true }
  }
}

/** Whether the updater has another address than at the last start. */
export async function updaterMoved(updater: DemoUpdater): Promise<boolean> {
  const known = await db().updater.findUnique({ where: { name: 'reference' } })
  return known?.url !== updater.url
}

/** Governs every group, registers the gate, and puts the reference updater behind it. */
export async function govern(clusterId: string, updater: DemoUpdater): Promise<void> {
  const known = await db().updater.findUnique({ where: { name: 'reference' } })
  if (known && known.url !== updater.url) await removeUpdater(ctx, { updaterId: known.id })
  if (!known || known.url !== updater.url) {
    await addUpdater(ctx, { name: 'reference', url: updater.url, caPem: updater.caPem })
  }
  await installLatch(ctx, { clusterId, governs: 'all' })
  await patiently(() => registerGate(ctx, { clusterId }))
}

/** Latches the pools in the same write: the next configuration that somebody renders is held before a node is told. */
export const governPools = (clusterId: string): Promise<void> =>
  patiently(() => installLatch(ctx, { clusterId, governs: 'all', pools: 'same-write' }))

/** The worker that holds the gate may still be starting. */
async function patiently(verb: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      await verb()
      return
    } catch (error) {
      const wait = error instanceof ServiceError && ['unavailable', 'conflict', 'refused'].includes(error.code)
      if (!wait || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}

/** Somebody else raises a version, as a push to Git would: the change that waits for approval when the demo opens. */
export async function raiseVersion({ raised, adminKubeconfig }: DemoCluster): Promise<void> {
  if (!raised) return
  const { credentials } = readKubeconfig(adminKubeconfig)
  if (!credentials) throw new Error('The administrator’s kubeconfig of the demo cannot be read.')
  const client = createKubeClient(credentials)
  try {
    const spec = { template: { spec: { version: 'v1.34.2' } } }
    await client.patch(GROUPS, raised.name, raised.namespace, 'merge', { spec })
  } finally {
    await client.close()
  }
}
