import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Document, isMap, isSeq } from 'yaml'
import {
  openShiftLatchRbac,
  openShiftReadRbac,
  openShiftWriteRbac,
  planRbac,
  rbacManifest,
  type Part,
} from '@/lib/domain/access/manifest'
import { NEEDS } from '@/lib/domain/access/permissions'

/** Writes deploy/rbac*.yaml from the table of what Drydock needs: npx tsx tools/rbac.ts. A test compares them with it. */
function write(name: string, head: string, parts: Part[], objects = rbacManifest(parts)): void {
  const text = objects.map((object) => {
    const document = new Document(object, { aliasDuplicateObjects: false })
    const namespace = (object.metadata as { namespace?: string }).namespace
    const needs = NEEDS.filter((need) => parts.includes(need.part) && need.namespace === namespace)
    const rules = document.get('rules')
    if (isSeq(rules))
      rules.items.forEach((rule, i) => {
        if (isMap(rule)) rule.commentBefore = ` ${needs[i]!.part}: ${needs[i]!.why}`
      })
    return document.toString({ lineWidth: 110 })
  })
  const comment = `# ${head}\n# Made from lib/domain/access. Leave out the rules of parts that you do not use: each one says which part needs it.\n`
  writeFileSync(join(import.meta.dirname, '../deploy', name), comment + text.join('---\n'))
}

write(
  'rbac.yaml',
  'What Drydock may do on a management cluster of Cluster API. For OpenShift there is rbac-openshift.yaml.',
  ['cluster-api', 'latch', 'gate'],
)
write(
  'rbac-openshift.yaml',
  'What Drydock needs to read OpenShift, and nothing that changes anything. Where the cluster has Cluster API as well, apply rbac.yaml too.',
  ['openshift'],
  openShiftReadRbac(),
)
write(
  'rbac-openshift-write.yaml',
  'What Drydock needs on OpenShift besides rbac-openshift.yaml to decide on boot images, pause pools, hold their configurations and acknowledge gates.',
  ['openshift-write'],
  openShiftWriteRbac(),
)
write(
  'rbac-openshift-latch.yaml',
  'What Drydock needs on OpenShift besides rbac-openshift-write.yaml to have changes of pools latched in the same write. Without it they are held by pausing.',
  ['openshift-latch'],
  openShiftLatchRbac(),
)
write(
  'rbac-plan.yaml',
  'What "Plan a change" needs besides rbac.yaml. Kubernetes allows a dry run only to who may do it for real: give it where that is acceptable.',
  ['plan'],
  planRbac(),
)
