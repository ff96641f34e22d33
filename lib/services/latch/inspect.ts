import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { latchDiff, latchState } from '@/lib/domain/latch/diff'
import { KubeError, KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { besideOf, wantedWith } from './beside'
import { messageFor, type LatchStateName, type LatchStatus } from './status'
import { proveLatch } from './prove'
import { findLatchObjects } from './resources'
import { formName, latchTarget, type LatchTarget } from './target'
import { untilWatched } from './until-watched'

export interface Inspection {
  target: LatchTarget
  client: KubeClient
  found: KubeObject[]
  status: LatchStatus
}

/** Compares the cluster with what should be there, tries it, and writes what was found to the cluster's row. */
export async function inspectLatch(clusterId: string, options: { patiently?: boolean } = {}): Promise<Inspection> {
  const target = await latchTarget(clusterId)
  try {
    const client = await kubeClientFor(clusterId)
    // What a stronger form left there is not looked at: an older API server of several does not tell of all of it.
    if (target.form === 'watch' && target.cluster.latchForm === 'watch')
      return {
        target,
        client,
        found: [],
        status: await kept(clusterId, await untilWatched(clusterId, options.patiently)),
      }
    const found = await findLatchObjects(client, target.capabilities.latch.policy)
    const findings = latchDiff(await wantedWith(target, found), found)
    const ours = findings.some((f) => f.state !== 'missing' && f.state !== 'not-ours')
    const governed = target.governance.governs !== 'none'
    let state: LatchStateName
    if (target.cluster.latchForm === 'none') state = ours ? 'unmanaged' : governed ? 'unlatched' : 'none'
    else state = target.form === 'watch' ? 'missing' : latchState(findings)
    const tried = state === 'intact' && governed
    const proof = tried ? await proveLatch(client, clusterId, target, options.patiently ?? false) : null
    if (proof === 'through') state = 'ineffective'
    if (proof === 'refused') state = 'unreachable'
    const about = {
      ...{ state, findings, beside: besideOf(target, found).length > 0 },
      watchesBeside: target.form !== 'watch' && target.cluster.watchSince !== null,
      ...(target.form === 'webhook' ? { webhookUrl: target.webhookUrl } : {}),
    }
    const instead = target.form === 'watch' && state === 'missing' ? { message: TOO_OLD } : {}
    const proved = proof === 'held' ? true : proof === 'through' ? false : null
    const status: LatchStatus = { ...about, message: messageFor(about), proved, ...instead }
    if (state === 'intact') await nameForm(target)
    return { target, client, found, status: await kept(clusterId, status) }
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable) await writeUnknown(clusterId, error.message)
    throw error
  }
}

/** Whole in another form than before: of several API servers that are upgraded, an older one may have answered last. */
async function nameForm({ cluster, form }: LatchTarget): Promise<void> {
  const latchForm = formName(form)
  if (['none', latchForm].includes(cluster.latchForm)) return
  await db().managementCluster.updateMany({
    where: { id: cluster.id, latchForm: cluster.latchForm },
    data: { latchForm },
  })
}

const TOO_OLD = 'The API server that answered can carry no latch: Drydock watches and pauses instead.'

const kept = async (clusterId: string, status: LatchStatus): Promise<LatchStatus> => {
  await writeStatus(clusterId, status)
  return status
}

export async function writeStatus(clusterId: string, status: LatchStatus): Promise<void> {
  const before = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { latchStatus: true } })
  const { chosenUrl: _chosen, ...found } = status
  await db().$executeRaw`
    UPDATE management_cluster SET latch_checked_at = now(), latch_status = ${JSON.stringify(found)}::jsonb
      || CASE WHEN latch_status ? 'chosenUrl' THEN jsonb_build_object('chosenUrl', latch_status->'chosenUrl') ELSE '{}' END
    WHERE id = ${clusterId}::uuid`
  const old = before?.latchStatus as LatchStatus | null
  if (old?.state !== status.state || old.message !== status.message || old.proved !== status.proved) {
    await db().$transaction((tx) => announce(tx, { topic: 'clusters', cluster: clusterId }))
  }
}

/**
 * What is known stays known: the findings are kept, the state says that they are old. Says whether it matters: false
 * where nothing is governed and no latch was installed.
 */
export async function writeUnknown(clusterId: string, why: string): Promise<boolean> {
  const row = await db().managementCluster.findUnique({ where: { id: clusterId }, include: { policy: true } })
  if (!row || (row.latchForm === 'none' && (row.policy?.governs ?? 'none') === 'none')) return false
  const old = row.latchStatus as LatchStatus | null
  const message = `The latch could not be checked: ${why}`
  await writeStatus(clusterId, { findings: [], proved: null, ...old, state: 'unknown', message })
  return true
}
