import { same } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { infrastructureRefOf, refOf, type Ref } from '@/lib/providers/cluster-api/changes'
import type { PlanContext } from './context'
import { addSubject, keyOf, type Gathered } from './subjects'
import type { PlanDocument } from './types'

const refersTo =
  ({ apiVersion, kind, metadata }: { apiVersion: string; kind: string; metadata: { name: string } }) =>
  (group: KubeObject): boolean =>
    refsOf(group).some(
      (ref) => ref.group === apiVersion.split('/')[0] && ref.kind === kind && ref.name === metadata.name,
    )

function refsOf(group: KubeObject): Ref[] {
  const refs =
    group.kind === 'KubeadmControlPlane'
      ? [infrastructureRefOf(group)]
      : [
          refOf(group.spec, 'template', 'spec', 'infrastructureRef'),
          refOf(group.spec, 'template', 'spec', 'bootstrap', 'configRef'),
        ]
  return refs.filter((ref) => ref !== null)
}

/** Groups that a template touches although they were not given themselves. */
export async function gatherTemplate(
  context: PlanContext,
  gathered: Gathered,
  document: PlanDocument,
  live: KubeObject | null,
  template: KubeObject,
): Promise<void> {
  const refers = refersTo(template)
  const changed = live !== null && !same(live.spec, template.spec)
  const note = `${template.kind} ${template.metadata.name} is changed under its name. Cluster API compares templates by name: machines that are there stay as they are, and those that are created from then on get the new content.`
  const users: string[] = []
  for (const group of await context.groupsIn(template.metadata.namespace ?? '')) {
    const given = gathered.subjects.get(keyOf(group))
    if (given?.planned ? !refers(given.planned) : !refers(group)) continue
    users.push(group.metadata.name)
    if (changed || !live)
      addSubject(gathered, { planned: group, live: group, undetermined: [], notes: changed ? [note] : [] })
  }
  const others = [...gathered.subjects.values()].filter(
    ({ live: there, planned }) => !there && planned && refers(planned),
  )
  users.push(...others.map(({ planned }) => planned!.metadata.name))
  document.sentence +=
    users.length > 0 ? ` ${listed(users)} ${users.length === 1 ? 'uses' : 'use'} it.` : ' No group uses it.'
}

const listed = (names: string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`

/** Of a template that was refused: who uses the one that is there. */
export async function nameUsers(context: PlanContext, documents: PlanDocument[]): Promise<void> {
  for (const document of documents) {
    const { apiVersion, kind, namespace, name, answer } = document
    if (document.outcome !== 'invalid' || !answer || !kind.endsWith('Template')) continue
    const users = (await context.groupsIn(namespace)).filter(refersTo({ apiVersion, kind, metadata: { name } }))
    if (users.length > 0)
      document.sentence += ` ${listed(users.map((group) => group.metadata.name))} ${users.length === 1 ? 'uses' : 'use'} it: give a template under a new name, and point the group to it.`
  }
}
