import { editedIn } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { infrastructureRefOf, refOf } from '@/lib/providers/cluster-api/changes'

/** Where it was edited, as far as digests tell: of templates of several kinds each that may be it. */
export function editedObjects(group: KubeObject, ...[shown, now]: Parameters<typeof editedIn>): string[] {
  const parts = editedIn(shown, now)
  const infrastructure = refOf(group.spec, 'template', 'spec', 'infrastructureRef') ?? infrastructureRefOf(group)
  const bootstrap = refOf(group.spec, 'template', 'spec', 'bootstrap', 'configRef')
  const isKubeadm = bootstrap?.kind === 'KubeadmConfigTemplate'
  const refs = [
    ...(parts.includes('config') || !isKubeadm ? [bootstrap] : []),
    ...(parts.includes('templates') ? [infrastructure] : []),
  ]
  return refs.flatMap((ref) => (ref ? [`${ref.kind} ${ref.name}`] : []))
}
