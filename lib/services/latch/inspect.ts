import { db } from '@/lib/db/client'
import { announce } from '@/lib/db/notify'
import { bearsOurMark, latchDiff, latchState } from '@/lib/domain/latch/diff'
import { isFor } from '@/lib/domain/latch/manifests'
import { ALL_LATCHED } from '@/lib/domain/latch/table'
import { KubeError, KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { besideOf, wantedWith } from './beside'
import { inspectParts, stateOf, untriedWords, type Looking } from './inspect-parts'
import { keepPools } from './keep-pools'
import { proveLatch, worstOf, type Proof } from './prove'
import {
  besideWords,
  isRepairable,
  messageFor,
  ofParts,
  type LatchPart,
  type LatchStateName,
  type LatchStatus,
} from './status'
import { findLatchObjects } from './resources'
import { ServiceError } from '../errors'
import { formName, latchTarget, mayPausePools, needsNoLook, type LatchTarget } from './target'
import { untilWatched } from './until-watched'

export interface Inspection {
  target: LatchTarget
  client: KubeClient
  found: KubeObject[]
  status: LatchStatus
}

interface Options {
  patiently?: boolean
  refused?: string | null
  /** What is governed was chosen just now, and the latch follows: what has not yet is not written to the row. */
  follows?: boolean
}

/** Compares the cluster with what should be there, tries it, and writes what was found to the cluster's row. */
export async function inspectLatch(clusterId: string, options: Options = {}): Promise<Inspection> {
  let target = await latchTarget(clusterId)
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
    const mayLackRight = target.form === 'watch' && needsNoLook(target.cluster)
    const unseen: string[] = []
    const found = await findLatchObjects(client, target.capabilities.latch.policy, mayLackRight, unseen)
    refuseUnseen(target, found)
    if (await keepPools(target, found)) target = await latchTarget(clusterId)
    const findings = latchDiff(await wantedWith(target, found), found)
    const looking = { client, target, findings, patiently: options.patiently ?? false, refused: options.refused }
    const known = target.apart && target.cluster.latchForm !== 'none' ? await inParts(looking) : await inOne(looking)
    const about = {
      ...{ ...known, findings, beside: besideOf(target, found).length > 0 },
      watchesBeside: await watchesBeside(target),
      ...(target.form === 'webhook' ? { webhookUrl: target.webhookUrl } : {}),
    }
    const status: LatchStatus = { ...about, message: `${messageOf(about)}${unseen.length > 0 ? UNSEEN : ''}` }
    if (status.state === 'intact') await nameForm(target)
    const awaited = options.follows && isRepairable(status)
    return { target, client, found, status: awaited ? status : await kept(clusterId, status) }
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable) await writeUnknown(clusterId, error.message)
    throw error
  }
}

/** Its latch stands there, and what it is for was not found: whether that is gone, or away for a moment, nobody knows. */
function refuseUnseen({ cluster, holds }: LatchTarget, found: readonly KubeObject[]): void {
  const unseen = found.filter((object) => bearsOurMark(object) && !isFor(holds, object))
  if (cluster.latchForm === 'none' || unseen.length === 0) return
  const what = holds.clusterApi ? 'OpenShift’s pools were' : 'Cluster API was'
  throw new ServiceError(
    'unavailable',
    `${what} not found on ${cluster.name} when Drydock last looked: their latch stays.`,
    {
      hint: 'It is looked for again within minutes. If it was taken out for good, remove the latch.',
    },
  )
}

type Known = Pick<LatchStatus, 'state' | 'proved' | 'parts' | 'since'> & { message?: string }
const withoutProof = ({ proof: _proof, ...part }: LatchPart & { proof: Proof }): LatchPart => part
const provedBy = (proof: Proof): boolean | null => (proof === 'held' ? true : proof === 'through' ? false : null)

async function inOne({ client, target, findings, patiently }: Looking): Promise<Known> {
  const ours = findings.some((f) => f.state !== 'missing' && f.state !== 'not-ours')
  const governed = target.governance.governs !== 'none'
  let state: LatchStateName
  if (target.cluster.latchForm === 'none') state = ours ? 'unmanaged' : governed ? 'unlatched' : 'none'
  else state = target.form === 'watch' ? 'missing' : latchState(findings)
  const tried = state === 'intact' && governed
  const proof = tried ? await proveLatch(client, target.cluster.id, target, ALL_LATCHED, patiently) : null
  const instead = target.form === 'watch' && state === 'missing' ? TOO_OLD : untriedWords(proof)
  return { state: stateOf(state, proof), proved: provedBy(proof), ...(instead ? { message: instead } : {}) }
}

async function inParts(looking: Looking): Promise<Known> {
  const { clusterApi, pools } = await inspectParts(looking)
  const proofs = [clusterApi.proof, pools.proof]
  const parts = { clusterApi: withoutProof(clusterApi), pools: withoutProof(pools) }
  return { ...ofParts(parts), proved: provedBy(worstOf(proofs)) }
}

function messageOf({ message, ...about }: Omit<LatchStatus, 'message'> & { message?: string }): string {
  if (message === undefined) return messageFor(about)
  return about.state === 'intact' ? `${message}${besideWords(about)}` : message
}

/**
 * Drydock watches more than it has to: an API server of several may hold nothing by itself yet. What it knows of and was not found
 * when it last looked may be held by nothing else, so the end of that is not offered.
 */
async function watchesBeside(target: LatchTarget): Promise<boolean> {
  const { cluster, form, apart, pools, holds } = target
  if (form === 'watch' || cluster.watchSince === null) return false
  if (!holds.clusterApi && !mayPausePools(target)) return false
  if (cluster.watchPoolsOnly && (!holds.pools || (apart && pools === 'pausing'))) return false
  const unseen = ALL_LATCHED.filter(({ pausedBy }) => !(pausedBy ? holds.pools : holds.clusterApi))
  const where = { clusterId: cluster.id, kind: { in: unseen.map(({ kind }) => kind) } }
  return unseen.length === 0 || (await db().group.count({ where })) === 0
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

const UNSEEN = ' Whether a latch of before still stands there is not known: Drydock has no right to look.'

const kept = async (clusterId: string, status: LatchStatus): Promise<LatchStatus> => {
  await writeStatus(clusterId, status)
  return status
}

/** A look that ends once its cluster was disconnected says nothing any more. */
export async function writeStatus(clusterId: string, status: LatchStatus): Promise<void> {
  const before = await db().managementCluster.findUnique({ where: { id: clusterId }, select: { latchStatus: true } })
  const { chosenUrl: _chosen, ...found } = status
  const written = await db().$executeRaw`
    UPDATE management_cluster SET latch_checked_at = now(), latch_status = ${JSON.stringify(found)}::jsonb
      || CASE WHEN latch_status ? 'chosenUrl' THEN jsonb_build_object('chosenUrl', latch_status->'chosenUrl') ELSE '{}' END
    WHERE id = ${clusterId}::uuid AND state <> 'disconnected'`
  if (written === 0) return
  const old = before?.latchStatus as LatchStatus | null
  if (old?.state !== status.state || old.message !== status.message || old.proved !== status.proved) {
    await db().$transaction((tx) => announce(tx, { topic: 'clusters', cluster: clusterId }))
  }
}

/**
 * What is known stays known: the findings are kept, the state says that they are old. Says whether it matters: false
 * where nothing is governed and no latch was installed, or the cluster was disconnected.
 */
export async function writeUnknown(clusterId: string, why: string): Promise<boolean> {
  const where = { id: clusterId, state: { not: 'disconnected' } }
  const row = await db().managementCluster.findUnique({ where, include: { policy: true } })
  if (!row || (row.latchForm === 'none' && (row.policy?.governs ?? 'none') === 'none')) return false
  const old = row.latchStatus as LatchStatus | null
  const message = `The latch could not be checked: ${why}`
  await writeStatus(clusterId, { findings: [], proved: null, ...old, state: 'unknown', message })
  return true
}
