import { removePolicy } from '@/lib/services/policies/remove-policy'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { cy } from '../timed'
import { annotation, KCP, MD } from '../suites/watching'
import { NOTHING, type Action } from './action'
import { NEW_WORDS } from './model'
import { wantsOf } from './recorder'
import { specOf, type Said } from './rules'
import type { Walk } from './walk'

const CONFIG_TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }
export const MACHINES = { ...MD, plural: 'machines' }

/** What workers are made from: versions, a config that no updater covers, and one that it covers. */
const TEMPLATES: JsonObject[] = [
  { version: 'v1.34.1' },
  { version: 'v1.34.1' },
  { version: 'v1.34.2' },
  { version: 'v1.34.2' },
  { version: 'v1.34.3' },
  { bootstrap: { configRef: { name: 'other-command' } } },
  { bootstrap: { configRef: { name: 'other-socket' } } },
]

export const edit =
  (to?: JsonObject, mayGoBack = !to): Action =>
  async (walk) => {
    const { name, isPlane } = walk.anyGroup()
    const back = mayGoBack && walk.chance(15)
    const template = to ?? walk.any(TEMPLATES)
    const version = walk.any(
      ['v1.34.1', 'v1.34.2', 'v1.34.3'].filter((one) => one !== walk.story.now.groups[name]!.wants),
    )
    const original = walk.original.get(name)!
    const spec: JsonObject = isPlane
      ? { version: back ? original.version! : version }
      : { template: { spec: back ? original : template } }
    walk.tell(`edits ${name}: ${JSON.stringify(spec)}`)
    const from = Date.now()
    await walk.admin.patch(isPlane ? KCP : MD, name, walk.namespace, 'merge', { spec })
    const wants = wantsOf(walk.recorder.read(name))
    if (wants !== walk.story.now.groups[name]!.wants) walk.story.group(from, name, () => ({ ...NEW_WORDS, wants }))
  }

const POLICIES: Said[] = [
  {},
  { approvals: 2 },
  { approvals: 0 },
  { approvals: 0, strategy: 'replace' },
  { strategy: 'in-place-only' },
  { strategy: 'replace' },
  { window: 'closed' },
  { window: 'open', approvals: 1 },
  { frozen: true },
  { frozen: true, approvals: 2 },
  { reasonRequired: true },
  { expires: true },
  { notTheAuthor: true },
  { stopsAt: 1 },
  { stopsAt: 1, approvals: 0 },
]

export const policy =
  (to?: Said): Action =>
  async (walk) => {
    const forAll = !to && walk.chance(40)
    const at = forAll ? 'all' : walk.anyGroup().name
    const gone = !to && walk.chance(30)
    const waves = forAll && walk.chance(40) ? { waves: true } : {}
    const said = { ...(to ?? walk.any(POLICIES)), ...waves }
    walk.tell(gone ? `the policy of ${at} is removed` : `the policy of ${at} is ${JSON.stringify(said)}`)
    await writePolicy(walk, at, gone ? null : said)
  }

/** Writes the policy of a group, or of all; null takes it out. */
export async function writePolicy(walk: Walk, at: string, said: Said | null): Promise<void> {
  const { policies, namespace, seed, story } = walk
  const from = Date.now()
  const known = policies.get(at)
  const select = { namespaces: [namespace], ...(at === 'all' ? {} : { names: [at] }) }
  if (said) {
    const spec = specOf(said, select, walk.groups[0]!.name)
    const before = known ? { policyId: known.id, version: known.version } : {}
    policies.set(at, await savePolicy(cy, { name: `walk-${seed}-${at}`, spec, ...before }))
  } else if (known) {
    await removePolicy(cy, { policyId: known.id, version: known.version })
    policies.delete(at)
  }
  story.push(from, (now) => {
    const { [at]: _gone, ...others } = now.policies
    return { ...now, policies: said ? { ...others, [at]: said } : others }
  })
}

/** Its windows close, or a freeze begins, whatever else is said of it. */
export const close: Action = async (walk) => {
  const { name } = walk.anyGroup()
  const said = walk.any<Said>([{ window: 'closed' }, { frozen: true }])
  walk.tell(`it is not the time of ${name} any more: ${JSON.stringify(said)}`)
  await writePolicy(walk, name, { ...walk.story.now.policies[name], ...said })
}

export const remove: Action = async (walk) => {
  const { name, isPlane } = walk.anyGroup()
  const members = walk.recorder.members(name)
  const machine = walk.any(members.length > 0 ? members : [undefined])
  if (isPlane || !machine || machine.metadata.deletionTimestamp) return NOTHING
  walk.tell(`deletes ${machine.metadata.name} of ${name}`)
  walk.oracle.allow(name, 1, 1)
  await walk.admin.delete(MACHINES, machine.metadata.name, walk.namespace)
}

export const theirs: Action = async (walk) => {
  const { name, isPlane } = walk.anyGroup()
  const now = walk.story.now.groups[name]!.theirs
  const at = isPlane ? KCP : MD
  const live = annotation(await walk.admin.get(at, name, walk.namespace), PAUSED)
  if (!now && live === PAUSED_BY_DRYDOCK) return NOTHING
  walk.tell(now ? `takes the own pause of ${name} away` : `pauses ${name} in the cluster`)
  const from = Date.now()
  await walk.admin.patch(at, name, walk.namespace, 'merge', {
    metadata: { annotations: { [PAUSED]: now ? null : 'mine' } },
  })
  walk.story.group(from, name, () => ({ theirs: !now }))
}

export const fail: Action = (walk) => {
  const { name } = walk.anyGroup()
  const members = walk.recorder.members(name)
  const machine = walk.any(members.length > 0 ? members : [undefined])?.metadata.name
  if (!machine) return Promise.resolve(NOTHING)
  const { failing } = walk.world
  walk.tell(`updates of ${machine} ${failing.has(machine) ? 'work again' : 'fail'}`)
  if (!failing.delete(machine)) failing.add(machine)
  return Promise.resolve()
}

/** Two hours pass for what was approved of it, of which nothing was let go yet. */
export const age: Action = async (walk) => {
  const { name } = walk.anyGroup()
  const found = await walk.change(name)
  if (!found?.isNow || found.row.state !== 'waiting' || !walk.recorder.isHeld(name)) return NOTHING
  walk.tell(`what was approved of ${name} is two hours old`)
  const from = Date.now()
  await db().$executeRaw`UPDATE approval SET at = at - interval '2 hours', expires_at = expires_at - interval '2 hours'
    WHERE change_id = ${found.row.id}::uuid AND ended_at IS NULL`
  walk.story.group(from, name, ({ approvals }) => ({
    approvals: Object.fromEntries(Object.entries(approvals).map(([who, one]) => [who, { ...one, isOld: true }])),
  }))
}

/** Edited where it stands: no write to a group tells of it. */
export const template: Action = async (walk) => {
  const to = `echo ${walk.told.length}`
  walk.tell(`edits the config other-command: ${to}`)
  const from = Date.now()
  const body = { spec: { template: { spec: { preKubeadmCommands: [to] } } } }
  await walk.admin.patch(CONFIG_TEMPLATES, 'other-command', walk.namespace, 'merge', body)
  for (const [name, { wants }] of Object.entries(walk.story.now.groups)) {
    if (!wants.includes('other-command')) continue
    // What was on its way waits for people; what nobody let go yet goes as its policy says.
    walk.story.group(from, name, () => ({ approvals: {}, tookBack: true }))
    walk.oracle.against(name, wants)
  }
}
