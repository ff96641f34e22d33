import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { JsonObject } from '../../json'
import type { Inventory, Template } from '../cloud'
import type { FailureDomain } from '../types'
import { userDataProblem } from '../user-data'
import { answers, CRASH, obj, str, type Decide, type Decision, type PlatformInput } from './shared'

/** vSphere: only vCenter knows which version a template holds (reconcileVSphereProviderSpec, createNewVMTemplate). */
export const vsphere: Decide = (input) => {
  const { spec, arch, images, context } = input
  const current = str(spec.template) || null
  if (!context.failureDomains)
    return answers(current)(
      'unknown',
      'ignore',
      'no-platform-part',
      'Infrastructure has no vSphere part, so the operator leaves the set alone.',
    )
  if (!images) return answers(current)('unknown', 'error', 'not-in-release', `The release has no images for ${arch}.`)
  const release = images.artifacts.vmware?.release
  if (!release)
    return answers(current)('unknown', 'error', 'not-in-release', `The release has no vSphere image for ${arch}.`)
  const say = answers(current, `RHCOS ${release}`)
  const secret = context.data?.('vsphere-creds', 'kube-system')
  if (context.data && !secret)
    return say('unknown', 'error', 'credentials', 'The operator’s Secret kube-system/vsphere-creds does not exist.')
  if (spec.workspace === undefined) return say('unknown', 'crash', 'workspace', `The set has no workspace. ${CRASH}`)
  const workspace = obj(spec.workspace)
  const server = str(workspace.server)
  const listed = context.vcenters ? context.vcenters.includes(server) : true
  let inventory: Inventory | undefined
  if (listed && context.cloud) {
    const [user, password] = ['username', 'password'].map((key) => secret?.[`${server}.${key}`] ?? '') as [
      string,
      string,
    ]
    const answer = context.cloud.vcenter.signIn(server, user, password)
    if (typeof answer === 'string')
      return say('unknown', 'error', 'cloud', `The operator cannot sign in to the vCenter ${server}: ${answer}.`)
    inventory = answer
  }
  const domain = listed ? context.failureDomains.find((d) => inDomain(workspace, d)) : undefined
  if (!domain)
    return say(
      'unknown',
      'error',
      'workspace',
      'Its workspace matches none of the vCenters and failure domains in Infrastructure, which the operator reports as a failure.',
    )
  if (!inventory)
    return say(
      'unknown',
      'undecided',
      'none',
      `Only vCenter knows which version the template ${current ?? '(none)'} holds.`,
    )
  return inVCenter(input, workspace, domain, inventory, release)
}

const cleaned = (path: string): string => posix.normalize(path || '.').replace(/(?<=.)\/$/, '')

const inDomain = (workspace: JsonObject, domain: FailureDomain): boolean =>
  str(workspace.server) === domain.server &&
  str(workspace.datacenter) === domain.datacenter &&
  str(workspace.datastore) === domain.datastore &&
  cleaned(str(workspace.resourcePool)) === cleaned(domain.resourcePool) &&
  str(workspace.vmGroup) === domain.vmGroup

function inVCenter(
  input: PlatformInput,
  workspace: JsonObject,
  domain: FailureDomain,
  inventory: Inventory,
  release: string,
): Decision {
  const { spec, context } = input
  const named = str(spec.template)
  const say = answers(named || null, `RHCOS ${release}`)
  if (!inventory.hasDatacenter(domain.datacenter))
    return say('unknown', 'error', 'cloud', `vCenter has no data center ${domain.datacenter}.`)
  const computed = `${context.infrastructureName}-rhcos-${domain.name}`
  const folder = str(workspace.folder) && absolute(str(workspace.folder), domain.datacenter)
  const here = (name: string, scoped: boolean): Template | undefined =>
    find(inventory, name, scoped ? folder : '', folder && inventory.hasFolder(folder) ? folder : '')
  const due = (name: string): Decision => {
    const problem = cannotImport(input, folder, inventory, name)
    return problem
      ? say('unknown', problem.outcome, problem.cause, problem.reason)
      : {
          ...say('outdated', 'update', 'none', 'The template does not hold the image of this release.'),
          change: { template: name },
        }
  }
  const own = named && named !== computed ? here(named, true) : undefined
  const name = own ? named : computed
  const kept = `mco-old-${createHash('sha256').update(computed).digest('hex').slice(0, 8)}`
  const found = own ?? here(computed, false)
  const template = found ?? find(inventory, kept, '', '')
  const problem = found?.version === release ? undefined : userDataProblem(spec, context.data)
  if (!template) {
    if (problem) return say('outdated', problem.outcome, 'user-data', problem.reason)
    const made = due(name)
    const known = !context.data || context.data('cluster-config-v1', 'kube-system')?.['install-config'] !== undefined
    return known || made.outcome !== 'update'
      ? made
      : say(
          'unknown',
          'error',
          'template',
          'The ConfigMap kube-system/cluster-config-v1 does not say how disks are provisioned.',
        )
  }
  if (!found && problem) return say('outdated', problem.outcome, 'user-data', problem.reason)
  const { version } = template
  if (!version)
    return say('unknown', 'error', 'template', `The template ${name} does not say which version of RHCOS it holds.`)
  if (version !== release) {
    return problem ? say('outdated', problem.outcome, 'user-data', problem.reason) : { ...due(name), rhcos: version }
  }
  if (named === name) return { ...say('current', 'unchanged', 'none', ''), rhcos: version }
  return {
    ...say(
      'outdated',
      'update',
      'none',
      `The image of this release is in the template ${name}, and the set does not name it.`,
    ),
    rhcos: version,
    change: { template: name },
  }
}

const absolute = (path: string, datacenter: string): string =>
  cleaned(path.startsWith('/') ? path : `/${datacenter}/vm/${path}`)

/** A template by its path, else by its name anywhere; what lies outside of the set's folder is somebody else's. */
function find(inventory: Inventory, name: string, scope: string, within: string): Template | undefined {
  const { templates } = inventory
  const path = name.startsWith('/') ? cleaned(name) : scope && cleaned(`${scope}/${name}`)
  const found =
    templates.find((t) => t.path === path) ??
    templates.find((t) => !name.includes('/') && posix.basename(t.path) === name)
  return found && (!within || posix.dirname(found.path) === within) ? found : undefined
}

function cannotImport(
  { images, context }: PlatformInput,
  folder: string,
  inventory: Inventory,
  name: string,
): { outcome: 'error'; cause: 'download' | 'cloud' | 'template'; reason: string } | undefined {
  const no = (cause: 'download' | 'cloud' | 'template', reason: string) => ({
    outcome: 'error' as const,
    cause,
    reason,
  })
  const ova = images?.artifacts.vmware?.ova
  if (!ova) return no('download', 'The release names no image file (OVA) for vSphere.')
  const problem = context.cloud!.vcenter.download(ova.location, ova.sha256)
  if (problem) return no('download', `The operator cannot download ${ova.location}: ${problem}.`)
  if (new TextEncoder().encode(name).length > 80)
    return no('template', `The template’s name ${name} is longer than the 80 characters that vSphere allows.`)
  if (folder && !inventory.hasFolder(folder)) return no('cloud', `vCenter has no folder ${folder}.`)
  return undefined
}
