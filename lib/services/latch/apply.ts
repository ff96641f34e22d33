import type { JsonObject } from '@/lib/domain/json'
import { latchDiff, type Found } from '@/lib/domain/latch/diff'
import { isFor, isOfPools } from '@/lib/domain/latch/manifests'
import { isUnpermitted } from '@/lib/kubernetes/denied'
import { KubeError, KubeUnreachable, type KubeClient, type KubeObject } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { findLatchObjects, nameOf, resourceOf } from './resources'
import { wantedWith } from './beside'
import { untilWatched } from './until-watched'
import type { LatchTarget } from './target'

/** Objects of others that bear the latch's names are never overwritten. */
function refuseForeign(wanted: readonly JsonObject[], found: readonly Found[]): void {
  const findings = latchDiff(wanted, found).filter((f) => f.state === 'not-ours')
  if (findings.length === 0) return
  const which = findings.map((f) => `${f.kind} ${f.name}`).join(', ')
  throw new ServiceError('conflict', `The cluster has objects of these names that Drydock did not make: ${which}.`, {
    hint: 'Rename or delete them, then try again.',
  })
}

/** Of pools that are held by pausing nothing stands in the cluster, and Drydock need not be allowed to look. */
const writesNothing = ({ form, holds }: LatchTarget): boolean => form === 'watch' && !holds.clusterApi

/** What stands or falls together, and the part of pools, which never keeps the rest from being there. */
function split<T extends { metadata?: unknown }>(
  { apart }: LatchTarget,
  objects: readonly T[],
): { own: T[]; ofPools: T[] } {
  const ofPools = objects.filter((object) => apart && isOfPools(object))
  return { own: objects.filter((object) => !ofPools.includes(object)), ofPools }
}

/** Asks the API server whether it would take all of it, before any of it is written. */
export async function rehearse(client: KubeClient, target: LatchTarget): Promise<void> {
  if (writesNothing(target)) return
  const found = await ask(() => findLatchObjects(client, target.capabilities.latch.policy))
  await tryAll(client, split(target, await wantedWith(target, found)).own, found)
}

async function tryAll(client: KubeClient, wanted: JsonObject[], found: readonly Found[]): Promise<void> {
  refuseForeign(wanted, found)
  for (const object of wanted) await ask(() => applyOne(client, object, true), object)
}

/** Told of every answer as it comes: what was done before a failure is on record, too. */
export type Say = (answer: string) => void

/**
 * Server-side apply of everything, guards first, then what is ours and no longer wanted goes. The form of before is
 * wanted as long as it is there: see besideOf. Says why the part of pools is not as it should be, where that is one of its own.
 */
export async function applyAll(client: KubeClient, target: LatchTarget, say: Say): Promise<string | null> {
  if (writesNothing(target)) return null
  const found = await ask(() => findLatchObjects(client, target.capabilities.latch.policy))
  const wanted = await wantedWith(target, found)
  const { own, ofPools } = split(target, wanted)
  refuseForeign(own, found)
  for (const object of own) await store(client, object, say)
  // An API server that can carry none is one of several that are upgraded, or was stronger once: what holds there stays.
  if (target.form === 'watch') return null
  const findings = latchDiff(wanted, found).filter((f) => f.state === 'leftover')
  const leftovers = found.filter(
    (o) => isFor(target.holds, o) && findings.some((f) => f.kind === o.kind && f.name === o.metadata.name),
  )
  const gone = split(target, leftovers)
  await deleteAll(client, gone.own, say)
  try {
    await tryAll(client, ofPools, found)
    for (const object of ofPools) await store(client, object, say)
    if (gone.ofPools.length > 0 && target.pools === 'pausing') await refuseUnwatched(target)
    await deleteAll(client, gone.ofPools, say)
    return null
  } catch (error) {
    if (!target.apart || !(error instanceof ServiceError) || error.code === 'unavailable') throw error
    const words = [error.message, error.more.answer].filter(Boolean).join(' ')
    say(`Pools: ${words}`)
    return words
  }
}

/** What latches pools goes only when they are paused without it: in no moment a change of one goes by both. */
async function refuseUnwatched({ cluster }: LatchTarget): Promise<void> {
  const { state, message } = await untilWatched(cluster.id, true)
  if (state !== 'watching')
    throw new ServiceError('conflict', `The latch of pools stays until Drydock watches and pauses them. ${message}`)
}

async function store(client: KubeClient, object: JsonObject, say: Say): Promise<void> {
  const stored = await ask(() => applyWhole(client, object), object)
  say(`${String(object.kind)} ${nameOf(object)}: stored as resourceVersion ${stored.metadata.resourceVersion}`)
}

export async function deleteAll(client: KubeClient, objects: readonly Found[], say: Say): Promise<void> {
  // Bindings before policies, the guards last.
  const rank = (o: Found) => (o.metadata.name.includes('guard') ? 2 : 0) + (o.kind.endsWith('Binding') ? 0 : 1)
  for (const object of [...objects].sort((a, b) => rank(a) - rank(b))) {
    await ask(() => gone(client.delete(resourceOf(object), object.metadata.name)), object as unknown as JsonObject)
    say(`${object.kind} ${object.metadata.name}: deleted`)
  }
}

/** Server-side apply leaves what others added; for the latch that could be a hole, so it is replaced. */
async function applyWhole(client: KubeClient, object: JsonObject): Promise<KubeObject> {
  const applied = await applyOne(client, object, false)
  const identity = { apiVersion: String(object.apiVersion), kind: String(object.kind) }
  const [finding] = latchDiff([object], [{ ...applied, ...identity }])
  if (finding?.state !== 'changed') return applied
  const field = 'webhooks' in object ? 'webhooks' : 'spec'
  const replace = [{ op: 'replace', path: `/${field}`, value: object[field]! }]
  return client.patch(resourceOf(identity), nameOf(object), undefined, 'json', replace)
}

const applyOne = (client: KubeClient, object: JsonObject, dryRun: boolean) =>
  client.patch(
    resourceOf(object as { apiVersion: unknown; kind: unknown }),
    nameOf(object),
    undefined,
    'apply',
    object,
    { dryRun },
  )

const gone = async (deleting: Promise<void>): Promise<void> => {
  try {
    await deleting
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 404) throw error
  }
}

/** The API server's refusal, with its own words. */
async function ask<T>(work: () => Promise<T>, object?: JsonObject): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const what = object ? ` ${String(object.kind)} ${nameOf(object)}` : ' to look at its admission policies'
    if (error instanceof KubeUnreachable) {
      throw new ServiceError('unavailable', `The cluster did not answer when asked for${what}.`, {
        answer: error.message,
      })
    }
    if (error instanceof KubeError) {
      const hint = isUnpermitted(error)
        ? 'Apply the RBAC manifest that the page of this cluster shows, then try again.'
        : undefined
      throw new ServiceError('refused', `The API server refused${what}.`, { answer: error.message, hint })
    }
    throw error
  }
}
