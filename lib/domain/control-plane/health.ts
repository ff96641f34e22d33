import { quorumOf, spareOf } from './quorum'

/** What the manager of control planes says of one of its machines, and what is said of the node. */
export interface PlaneSaid {
  parts: PlanePart[]
  /** As it is asked all the time, also while the control plane is held. */
  node: 'ready' | 'not-ready' | 'unknown'
  /** The manager's own pre-terminate hook stands: of a machine that goes, it has not taken the member out of etcd yet. */
  hook: boolean
}

export interface PlanePart {
  type: string
  /** "True", "False", "Unknown" */
  status: string
  message: string
}

/** Checked before each step, of every machine (Cluster API, kubeadmcontrolplane/preflight.go, checkHealthiness). */
export const COMPONENTS = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy']
export const ETCD_PARTS = ['EtcdPodHealthy', 'EtcdMemberHealthy']

export interface PlaneMachine {
  name: string
  /** It has a node. */
  joined: boolean
  deleting: boolean
  said: PlaneSaid | null
}

/** `joining`: it has no node, and is no member that is known of. `gone`: taken out of etcd, its machine goes. */
export type Member = 'healthy' | 'ill' | 'unknown' | 'joining' | 'gone'

export interface MemberHealth {
  name: string
  member: Member
  components: 'healthy' | 'ill' | 'unknown'
  /** Of what is not healthy, in its manager's words. */
  words: string | null
}

export interface PlaneHealth {
  /** Null: it is not known whether the control plane has its own. */
  etcd: 'managed' | 'external' | null
  /** It has its own, and is to have an external one: what it wants says nothing of what its machines have. */
  leaves: boolean
  members: number
  healthy: number
  quorum: number
  /** How many may be lost; below zero there is no quorum. */
  spare: number
  machines: MemberHealth[]
}

/** What is known of a control plane. Of a condition that nobody ever wrote nothing is known, as the manager takes it. */
export function planeHealth(etcd: PlaneHealth['etcd'], machines: readonly PlaneMachine[]): PlaneHealth {
  const all = machines.map((machine) => memberHealth(machine, etcd !== 'external'))
  const leaves = etcd === 'external' && machines.some(bearsMember)
  const those = all.filter(
    ({ member }, i) => member !== 'joining' && member !== 'gone' && (!leaves || bearsMember(machines[i]!)),
  )
  const count = { members: those.length, healthy: those.filter(({ member }) => member === 'healthy').length }
  return { etcd, leaves, ...count, quorum: quorumOf(count.members), spare: spareOf(count), machines: all }
}

/** Its manager writes these of its own members alone. */
const bearsMember = ({ said }: PlaneMachine): boolean =>
  said?.parts.some(({ type }) => ETCD_PARTS.includes(type)) ?? false

function memberHealth({ name, joined, deleting, said }: PlaneMachine, managed: boolean): MemberHealth {
  const member = memberOf({ joined, deleting, said })
  const parts = [...(managed ? ETCD_PARTS : []), ...COMPONENTS]
  const bad = joined ? parts.map((type) => partOf(said, type)).find(({ status }) => status !== 'True') : undefined
  const node = joined && said && said.node !== 'ready' ? NODE[said.node] : null
  return {
    ...{ name, member, components: allOf(said, COMPONENTS) },
    words: node ?? (bad ? wordsOf(bad) : null),
  }
}

const NODE = { 'not-ready': 'its node is not ready', unknown: 'whether its node is ready is not known' }

function memberOf({ joined, deleting, said }: Pick<PlaneMachine, 'joined' | 'deleting' | 'said'>): Member {
  if (deleting && said && !said.hook) return 'gone'
  if (!joined) return 'joining'
  const etcd = allOf(said, ETCD_PARTS)
  return etcd === 'healthy' && said?.node !== 'ready' ? 'unknown' : etcd
}

function allOf(said: PlaneSaid | null, types: readonly string[]): 'healthy' | 'ill' | 'unknown' {
  const found = types.map((type) => partOf(said, type).status)
  if (found.includes('False')) return 'ill'
  return found.every((status) => status === 'True') ? 'healthy' : 'unknown'
}

/** What is said not to be well of a machine that has a node; of a condition that nobody wrote, nothing. Null: all is well. */
export function unwellWords({ joined, said }: Pick<PlaneMachine, 'joined' | 'said'>): string | null {
  if (!joined || !said) return null
  const bad = said.parts.filter(({ status }) => status !== 'True')
  const part = bad.find(({ status }) => status === 'False') ?? bad[0]
  const words = [...(said.node === 'ready' ? [] : [NODE[said.node]]), ...(part ? [wordsOf(part)] : [])]
  return words.join('; ') || null
}

const partOf = (said: PlaneSaid | null, type: string): PlanePart =>
  said?.parts.find((part) => part.type === type) ?? { type, status: 'Unknown', message: '' }

const wordsOf = ({ type, status, message }: PlanePart): string =>
  `${type} is ${status === 'False' ? 'false' : 'not known'}${message ? `: ${message}` : ''}`
