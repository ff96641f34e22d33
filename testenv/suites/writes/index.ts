import type { JsonObject } from '@/lib/domain/json'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import * as controlPlanes from './control-planes'
import * as extensionConfigs from './extension-configs'
import * as machineDeployments from './machine-deployments'
import { CONTROL_PLANE, differing, EXTENSION, EXTENSION_CONFIG, KCP, MACHINE_DEPLOYMENT, MD } from './objects'
import * as v1beta1 from './v1beta1'

export { EXTENSION }

export interface Table {
  name: string
  resource: Resource
  verb: 'create' | 'patch'
  base: JsonObject
  cases: machineDeployments.Case[]
}

const older = (resource: Resource): Resource => ({ ...resource, version: 'v1beta1' })
/** Not the name of the one that is stored. */
const anew = (base: JsonObject): JsonObject => differing(base, { metadata: { name: 'anew' } }) as JsonObject
const md = { resource: MD, base: MACHINE_DEPLOYMENT }
const cp = { resource: KCP, base: CONTROL_PLANE }
const extension = { resource: EXTENSION, base: EXTENSION_CONFIG }

export const TABLES: Table[] = [
  {
    name: 'a new MachineDeployment',
    ...md,
    base: anew(MACHINE_DEPLOYMENT),
    verb: 'create',
    cases: machineDeployments.CREATED,
  },
  { name: 'a stored MachineDeployment', ...md, verb: 'patch', cases: machineDeployments.PATCHED },
  {
    name: 'a stored MachineDeployment, v1beta1',
    ...md,
    resource: older(MD),
    verb: 'patch',
    cases: v1beta1.MACHINE_DEPLOYMENT,
  },
  { name: 'a new KubeadmControlPlane', ...cp, base: anew(CONTROL_PLANE), verb: 'create', cases: controlPlanes.CREATED },
  { name: 'a stored KubeadmControlPlane', ...cp, verb: 'patch', cases: controlPlanes.PATCHED },
  {
    name: 'a stored KubeadmControlPlane, v1beta1',
    ...cp,
    resource: older(KCP),
    verb: 'patch',
    cases: v1beta1.CONTROL_PLANE,
  },
  {
    name: 'a new ExtensionConfig',
    ...extension,
    base: anew(EXTENSION_CONFIG),
    verb: 'create',
    cases: extensionConfigs.CREATED,
  },
  { name: 'a stored ExtensionConfig', ...extension, verb: 'patch', cases: extensionConfigs.PATCHED },
]

/** What a server said to one write, in a form that two servers can share. */
export interface Said {
  code: number
  reason?: string
  message?: string
  causes?: string[]
  /** The parts of an accepted object that were written or defaulted. */
  spec?: JsonObject
}

/** Asks for one write without keeping it. */
export async function ask(client: KubeClient, table: Table, namespace: string, more: JsonObject): Promise<Said> {
  const { resource, verb, base } = table
  const { name } = base.metadata as { name: string }
  const at = resource.plural === EXTENSION.plural ? undefined : namespace
  try {
    const object =
      verb === 'create'
        ? await client.create(resource, differing(base, more) as JsonObject, at, { dryRun: true })
        : await client.patch(resource, name, at, 'merge', more, { dryRun: true })
    return accepted(object, namespace)
  } catch (error) {
    if (error instanceof KubeError) return refused(error, namespace, name)
    throw error
  }
}

const accepted = (object: KubeObject, namespace: string): Said => ({
  code: 200,
  spec: JSON.parse(JSON.stringify(object.spec).replaceAll(namespace, '<namespace>')) as JsonObject,
})

/** The object as it was sent stands in some messages: it is left out. */
function plain(text: string, namespace: string, name: string): string {
  return text
    .replace(/Invalid value: "\{.*\}": strict/s, 'Invalid value: "…": strict')
    .replaceAll(namespace, '<namespace>')
    .replaceAll(`"${name}"`, '"<name>"')
}

const refused = ({ status, code }: KubeError, namespace: string, name: string): Said => ({
  code,
  ...(status.reason ? { reason: status.reason } : {}),
  message: plain(status.message ?? '', namespace, name),
  ...(status.details?.causes
    ? {
        causes: status.details.causes.map((c) =>
          plain(`${c.reason ?? ''} ${c.field ?? ''} ${c.message ?? ''}`, namespace, name),
        ),
      }
    : {}),
})

/** Several causes come in no fixed order, in the list as in the sentence. */
export function sorted(said: Said): Said {
  if (!said.causes || said.causes.length < 2) return said
  return {
    ...said,
    causes: [...said.causes].sort(),
    message: said.message?.replace(/ is invalid: \[.*/s, ' is invalid: […]'),
  }
}
