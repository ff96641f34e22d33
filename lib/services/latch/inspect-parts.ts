import { latchState, type LatchFinding } from '@/lib/domain/latch/diff'
import { isOfPools } from '@/lib/domain/latch/manifests'
import { LATCHED, LATCHED_POOL, type LatchedKind } from '@/lib/domain/latch/table'
import type { KubeClient } from '@/lib/kubernetes/types'
import { isUntried, proveLatch, type Proof } from './prove'
import { messageFor, partOf, type LatchPart, type LatchStateName, type LatchStatus } from './status'
import { mayPausePools, type LatchTarget } from './target'
import { untilWatched } from './until-watched'

export interface Looking {
  client: KubeClient
  target: LatchTarget
  findings: LatchFinding[]
  patiently: boolean
  /** Why the part of pools was refused just now; null: it was not; absent: it was not tried. */
  refused?: string | null
}

type Proved = LatchPart & { proof: Proof }

/** How Cluster API's groups are held, and how the pools beside them: neither says anything of the other. */
export async function inspectParts(about: Looking): Promise<{ clusterApi: Proved; pools: Proved }> {
  const ofPools = about.findings.filter(({ name }) => isOfPools({ metadata: { name } }))
  const own = about.findings.filter((finding) => !ofPools.includes(finding))
  const [clusterApi, pools] = await Promise.all([latchedPart(about, own, LATCHED), poolsPart(about, ofPools)])
  return { clusterApi, pools }
}

async function poolsPart(about: Looking, ofPools: LatchFinding[]): Promise<Proved> {
  const { target, patiently } = about
  const { cluster, pools } = target
  const before = (cluster.latchStatus as LatchStatus | null)?.parts?.pools
  const refused = about.refused === undefined ? before?.refused : (about.refused ?? undefined)
  const why = refused ? ` ${refused}` : ''
  if (pools === 'same-write') {
    const part = await latchedPart(about, ofPools, [LATCHED_POOL])
    if (!['missing', 'changed', 'not-ours'].includes(part.state)) return { ...part, message: `Pools: ${part.message}` }
    const meanwhile = cluster.watchSince && mayPausePools(target) ? ' Meanwhile Drydock watches and pauses them.' : ''
    return {
      ...part,
      ...(refused ? { refused } : {}),
      message: `Pools are not latched: ${part.message}${why}${meanwhile}`,
    }
  }
  const none = { proof: null }
  if (cluster.watchSince === null)
    return { ...none, state: 'missing', message: 'Pools: Drydock does not watch and pause them yet.' }
  if (ofPools.length > 0)
    return {
      ...{ ...none, state: 'changed', ...(refused ? { refused } : {}) },
      message: `Pools: what latched them is still there, and goes when Drydock watches and pauses them.${why}`,
    }
  return { ...none, ...partOf(await untilWatched(cluster.id, patiently)) }
}

async function latchedPart(
  { client, target, patiently }: Looking,
  findings: LatchFinding[],
  kinds: readonly LatchedKind[],
): Promise<Proved> {
  const state = latchState(findings)
  const tried = state === 'intact' && target.governance.governs !== 'none'
  const proof = tried ? await proveLatch(client, target.cluster.id, target, kinds, patiently) : null
  const found = stateOf(state, proof)
  const webhook = target.form === 'webhook' ? { webhookUrl: target.webhookUrl } : {}
  return { state: found, proof, message: untriedWords(proof) ?? messageFor({ state: found, findings, ...webhook }) }
}

/** What a trial write said of what is all there. */
export const stateOf = (state: LatchStateName, proof: Proof): LatchStateName =>
  proof === 'through' ? 'ineffective' : proof === 'refused' ? 'unreachable' : isUntried(proof) ? 'untried' : state

/** Null: it was tried, or there was nothing to try it on. */
export const untriedWords = (proof: Proof): string | null =>
  isUntried(proof) ? `${messageFor({ state: 'untried', findings: [] }).replace(/\.$/, '')}: ${proof.untried}` : null
