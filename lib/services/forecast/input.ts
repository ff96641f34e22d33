import { db, type Tx } from '@/lib/db/client'
import type { Change } from '@/lib/db/generated/client'
import {
  forecastControlPlane,
  forecastDeployment,
  type Play,
  type ForecastMachine,
} from '@/lib/domain/rollout/forecast'
import { tiesOf, type DeletionOrder } from '@/lib/domain/rollout'
import type { PoolTurns } from '@/lib/domain/pools/turns'
import { movesNow, type RevisionPair } from '@/lib/domain/changes'
import { JOIN_MINUTES, type RolloutShape } from '@/lib/providers/cluster-api'
import { strategyOfRow } from '../groups/strategy'
import { changeSetOf, outlookIn } from '../changes/change-row'

const FIELDS = {
  ...{ id: true, name: true, machineSet: true, state: true, node: true, failureDomain: true, createdAt: true },
  ...{ ready: true, available: true, upToDate: true, updating: true, deleting: true, deleteMarked: true },
  ...{ unhealthy: true, error: true, sentence: true, workloadCluster: true },
} as const

type Way = 'in-place' | 'replace'
type Row = NonNullable<Awaited<ReturnType<typeof machinesOf>>>[number] & { returning?: boolean; through?: boolean }
export type Played = Partial<Pick<Change, 'id'>> &
  Pick<Change, 'clusterId' | 'groupId' | 'groupKind' | 'groupName' | 'namespace' | 'changeSet' | 'outlook'>

const machinesOf = (tx: Tx, { clusterId, groupKind, namespace, groupName }: Played) =>
  tx.machine.findMany({ where: { clusterId, groupKind, namespace, groupName }, select: FIELDS })

export interface Rollout {
  play: Play
  /** Machines that there are. */
  there: Set<string>
  /** Machines that are coming, being updated or going already. */
  underWay: Set<string>
  /** Of these, those that were updated, and are not well yet. */
  returning: string[]
  /** Old machines go when somebody deletes them. */
  onDelete: boolean
  /** The date before which nothing of it moves: it is played from then on. */
  notBefore: string | null
  /** Names of machines of which Cluster API takes any first: it ranks them the same, and does not go by their names. */
  ties: string[][]
  /** Of a pool. */
  pool?: PoolTurns
}

/**
 * The rollout of a change, to be played from the machines that are there now. Null: the group is not there any more.
 * `wanted`: how the group is to roll, where that is not what its row says. `well`: as if every machine were.
 */
export async function rolloutOf(
  change: Played,
  way: Way,
  now: number,
  wanted?: RolloutShape,
  well = false,
): Promise<Rollout | null> {
  const [group, found] = await Promise.all([
    wanted ?? db().group.findUnique({ where: { id: change.groupId } }),
    machinesOf(db(), change),
  ])
  if (!group) return null
  const [done, before] = await Promise.all([
    change.id ? doneIn(change.id) : NONE_DONE,
    throughBefore(
      change,
      // What is Ready becomes available by itself.
      found.filter((row) => !row.ready && isComing(row, now)),
    ),
  ])
  const machines = well ? found.map(asWell) : found.map((row) => asItIs(row, done, before, now))
  const { pairs, notBefore } = movingOf(changeSetOf(change).pairs)
  // Whose turn it is when is asked before it is known how many are left to be updated.
  const able = way === 'in-place' && (well || outlookIn(change).inPlace !== null)
  const isPlane = change.groupKind === 'KubeadmControlPlane'
  const there = new Set(machines.map(({ name }) => name))
  const moving = machines.filter(
    (row) => row.updating || row.deleting || ((!isPlane || !row.ready) && isComing(row, now)),
  )
  const underWay = new Set(moving.map(({ name }) => name))
  const returning = moving.flatMap((row) => (row.returning ? [row.name] : []))
  const about = { there, underWay, returning, notBefore }
  const { maxSurge, desiredReplicas: replicas } = group
  if (isPlane) {
    // A machine of a control plane is a revision of its own, and stays one after it was updated in place.
    const through = done.through
    const left = pairs.filter(({ from }) => !through.has(from))
    const domains = await domainsFor(change, machines)
    const input = {
      replicas,
      maxSurge: maxSurge === '0' ? 0 : 1,
      now,
      ...(domains ? { domains } : {}),
      ...controlPlane(machines, left, able, now),
    } as const
    return { play: (draw, gap) => forecastControlPlane(input, draw, gap), onDelete: false, ties: [], ...about }
  }
  const strategy = strategyOfRow(group)
  const order = (group.deletionOrder ?? 'Random') as DeletionOrder
  const input = { replicas, strategy, order, now, sets: sets(machines, pairs, able, now) }
  const onDelete = group.strategy === 'OnDelete'
  const ties = input.sets.flatMap((set) => tiesOf(set.machines, order))
  return { play: (draw, gap) => forecastDeployment(input, draw, gap), onDelete, ties, ...about }
}

/** A date that lies ahead moves nothing now. Where nothing else is wanted, what it will move, and when. */
function movingOf(all: RevisionPair[]): { pairs: RevisionPair[]; notBefore: string | null } {
  const pairs = all.filter(movesNow)
  if (pairs.length > 0 || all.length === 0) return { pairs, notBefore: null }
  const date = all[0]!.changes.find(({ path }) => path === 'rollout.after')?.desired
  return { pairs: all, notBefore: typeof date === 'string' ? date : null }
}

const asWell = (row: Row): Row => ({
  ...row,
  ...{ ready: true, available: true, unhealthy: false, error: null, updating: false, deleting: false, state: 'ready' },
})

/** The failure domains that the group's Cluster lists for control planes. Null: they are not known. */
async function domainsFor({ clusterId, namespace }: Played, [first]: Row[]): Promise<string[] | null> {
  const { workloadCluster: name } = first ?? {}
  if (name === undefined) return null
  const where = { clusterId_namespace_name: { clusterId, namespace, name } }
  const row = await db().workloadCluster.findUnique({ where, select: { domains: true } })
  return Array.isArray(row?.domains) ? row.domains.filter((domain) => typeof domain === 'string') : null
}

interface Done {
  /** Machines that a change has updated in place already. */
  through: Set<string>
  /** Those of them that are what is wanted, and since when. */
  since: Map<string, Date>
}
const NONE_DONE: Done = { through: new Set(), since: new Map() }

async function doneIn(changeId: string): Promise<Done> {
  // Also one whose updaters have said that they are done: Cluster API goes on before its row says so.
  const where = {
    ...{ changeId, startedAt: { not: null } },
    OR: [{ state: 'done' }, { state: 'updating', updater: null, updatersDone: { isEmpty: false } }],
  }
  const select = { machineName: true, state: true, finishedAt: true }
  const rows = await db().machineProgress.findMany({ where, select })
  return {
    through: new Set(rows.map(({ machineName }) => machineName)),
    since: new Map(
      rows.flatMap((row) => (row.state === 'done' && row.finishedAt ? [[row.machineName, row.finishedAt]] : [])),
    ),
  }
}

/** Those of these machines that another change made, or updated, to its end, or that this one made: each was Ready once. */
async function throughBefore({ id }: Played, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const of = { machineId: { in: rows.map((row) => row.id) }, throughAt: { not: null } }
  const where = { ...of, ...(id ? { OR: [{ changeId: { not: id } }, { state: 'created' }] } : {}) }
  const through = await db().machineProgress.findMany({ where, select: { machineId: true } })
  return new Set(through.map(({ machineId }) => machineId))
}

/**
 * A machine is being updated from when it was chosen, before its condition says so. One that was updated and is not well yet is
 * not being made: it comes back, as long as that may take (`returning`); after that it is as ill as any other, and so is what another
 * change was through with, or this one made and saw Ready.
 */
function asItIs(row: Row, { since }: Done, before: ReadonlySet<string>, now: number): Row {
  const updating = row.updating || row.state === 'updating'
  const at = since.get(row.name)
  if (!at || row.available || updating || row.deleting) return { ...row, updating, through: before.has(row.id) }
  const returning = !row.error && (row.ready || now - at.getTime() < JOIN_MINUTES * 60_000)
  return { ...row, returning, through: true, updating: returning }
}

function sets(machines: Row[], pairs: RevisionPair[], able: boolean, now: number) {
  const byName = new Map<string, RevisionPair>(pairs.map((pair) => [pair.from, pair]))
  const members = new Map<string, Row[]>(pairs.map((pair) => [pair.from, []]))
  for (const machine of machines) {
    const set = machine.machineSet ?? ''
    const known = members.get(set)
    if (known) known.push(machine)
    else members.set(set, [machine])
  }
  return [...members].map(([name, rows]) => {
    const pair = byName.get(name)
    return {
      name,
      createdAt: pair?.createdAt ? Date.parse(pair.createdAt) : Number.MAX_SAFE_INTEGER,
      wanted: !pair,
      canUpdate: able && pair !== undefined && !pair.certainReplace,
      certainReplace: pair?.certainReplace !== undefined,
      machines: rows.map((row) => machineOf(row, now)),
    }
  })
}

/** Made a moment ago, its node joined and not well yet, or well and not for long enough: it is on its way all the same. */
const isComing = (row: Row, now: number): boolean =>
  !row.error &&
  !row.available &&
  !row.updating &&
  !row.through &&
  !row.deleting &&
  (row.state === 'provisioning' || row.ready || now - row.createdAt.getTime() < JOIN_MINUTES * 60_000)

/** One that is neither on its way nor well does not come back by itself, as far as anybody knows. */
function machineOf(row: Row, now: number): ForecastMachine {
  const { name, createdAt, deleting, updating, deleteMarked: marked, node, available } = row
  const coming = isComing(row, now)
  const unhealthy = !coming && !updating && !deleting && (!available || row.unhealthy)
  return {
    ...(unhealthy && row.sentence ? { says: row.sentence } : {}),
    ...{ name, createdAt: createdAt.getTime(), deleting, updating, marked, hasNode: node !== null },
    available: available && !updating && !deleting,
    unhealthy,
  }
}

function controlPlane(machines: Row[], pairs: RevisionPair[], able: boolean, now: number) {
  const byName = new Map(pairs.map((pair) => [pair.from, pair]))
  const canUpdate = (row: Row) => {
    const pair = byName.get(row.name)
    return able && pair !== undefined && !pair.certainReplace && !row.deleteMarked
  }
  return {
    machines: machines.map((row) => ({
      ...{ name: row.name, createdAt: row.createdAt.getTime(), marked: row.deleteMarked },
      ...{ deleting: row.deleting, updating: row.updating },
      ...(row.failureDomain ? { failureDomain: row.failureDomain } : {}),
      upToDate: !byName.has(row.name),
      eligible: canUpdate(row),
      healthy: row.ready || row.updating || row.deleting || isComing(row, now),
      joining: row.node === null,
    })),
    coming: new Set(machines.filter((row) => !row.ready && isComing(row, now)).map((row) => row.name)),
    canUpdate: new Set(machines.filter(canUpdate).map((row) => row.name)),
  }
}
