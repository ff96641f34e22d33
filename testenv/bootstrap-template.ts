import { isObject, valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient } from '@/lib/kubernetes/types'
import type { Held } from './held'

const TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters' }

/** The bootstrap template of workers: `edit` writes it where it stands, `copy` makes another one like it. */
export async function bootstrapOf(admin: KubeClient, { read, namespace }: Pick<Held, 'read' | 'namespace'>) {
  const ref = valueAt((await read()).spec, 'template', 'spec', 'bootstrap', 'configRef')
  if (!isObject(ref)) throw new Error('no bootstrap config')
  const template = await admin.get(TEMPLATES, String(ref.name), namespace)
  const says = (command: string): JsonObject => ({
    template: {
      spec: { ...(valueAt(template.spec, 'template', 'spec') as JsonObject), preKubeadmCommands: [command] },
    },
  })
  return {
    name: String(ref.name),
    edit: (name: string, command: string) => admin.patch(TEMPLATES, name, namespace, 'merge', { spec: says(command) }),
    copy: (name: string, command: string) =>
      admin.create(TEMPLATES, { ...template, metadata: { name, namespace }, spec: says(command) } as never, namespace),
  }
}

/** Nothing moves there while a test looks. */
export const pauseCluster = (admin: KubeClient, { change, namespace }: Held) =>
  admin.patch(CLUSTERS, change.workloadCluster, namespace, 'merge', { spec: { paused: true } })
