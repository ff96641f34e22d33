import { fingerprint, type FieldChange } from '@/lib/domain/changes'
import { HELD } from '@/lib/domain/latch/names'
import type { KubeObject } from '@/lib/kubernetes/types'
import { nextOfDeployment } from './deployment'
import { expiryDays, infrastructureRefOf } from './read'
import { contentOf } from './whole'
import type { Compared, Comparison, ObjectSource } from './types'

/**
 * What is held although no machine is outdated as far as Drydock compares: a rule that replaces machines later, a group
 * without machines, a field that Drydock does not know. It waits for a decision like everything else, unless the group
 * wants again exactly what it was last let go with: only then it was changed back. `rules`: such a rule also where its hold was taken away.
 */
export async function unexplained(
  group: KubeObject,
  change: Comparison,
  digest: string,
  source: ObjectSource,
  rules = false,
): Promise<Comparison> {
  const days = group.kind === 'KubeadmControlPlane' ? expiryDays(group) : null
  const held = HELD in (group.metadata.annotations ?? {}) || (rules && days !== null)
  if (change.pairs.length > 0 || !held) return change
  if ((await source.letGo(group.metadata.uid)) === digest) return change
  const wanted: FieldChange = { object: 'machine', path: 'spec', desired: digest }
  const compared = (from: string, machines: number, changes: FieldChange[], certainReplace: string): Compared => ({
    // Where there are no machines, what differs is for showing only: old templates come and go.
    pair: {
      ...{ from, machines, changes, certainReplace },
      fingerprint: fingerprint(change.owner, machines === 0 ? [wanted] : [...changes, wanted]),
    },
    question: null,
  })
  if (group.kind === 'MachineDeployment') {
    const next = await nextOfDeployment(group, source)
    if (next) {
      const { pair, sides } = next
      const said = compared(group.metadata.name, 0, pair.changes, pair.unread ?? NONE_YET)
      // Nothing can be created from what is not there.
      const missing = change.replicas > 0 && pair.missing ? { missing: pair.missing } : {}
      return { ...change, pairs: [{ ...said, pair: { ...said.pair, ...missing }, ...(sides ? { sides } : {}) }] }
    }
  }
  const pairs =
    days === null
      ? []
      : (await source.machines(group))
          .filter((machine) => !machine.metadata.deletionTimestamp)
          .map(({ metadata }) => metadata.name)
          .sort()
          .map((name) => compared(name, 1, [{ object: 'machine', path: RULE, desired: days }], expiring(days)))
  if (pairs.length === 0) return { ...change, pairs: [compared(group.metadata.name, 0, [], NOTHING)] }
  return { ...change, pairs: await withTemplates(group, pairs, source) }
}

/** What those machines are made by that the rule will bring: an edit of it is seen before it is let go. */
async function withTemplates(group: KubeObject, pairs: Compared[], source: ObjectSource): Promise<Compared[]> {
  const ref = infrastructureRefOf(group)
  const template = ref && (await source.template(ref, group.metadata.namespace ?? ''))
  return template ? pairs.map((one) => ({ ...one, ...contentOf(template) })) : pairs
}

const RULE = 'rollout.before.certificatesExpiryDays'
const expiring = (days: number): string =>
  `Cluster API will replace each machine ${days} days before its certificates expire.`
const NONE_YET = 'The group has no machines: what it creates from now on is made with this.'
const NOTHING =
  'No machine differs from it as far as Drydock compares; what is created next, or a field that Drydock does not know, may.'
