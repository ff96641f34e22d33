import { pool } from '@/lib/db/client'
import { notPausableKinds } from '@/lib/domain/access/not-pausable'
import { POOL } from '@/lib/domain/latch/hold'
import { OS_CONFIGS } from '@/lib/providers/openshift/built'
import type { LatchStatus } from './status'

/** How watching and pausing is at this moment, whatever was last written of it: whoever would write is who may be away. */
export interface WatchNow {
  /** Why nothing is held now, and since when as far as that is known; null: it is watched. */
  down: string | null
  since: Date | null
  /** Groups that were to be paused and could not be. */
  unpaused: { group: string; why: string }[]
  /** Why OS images that are built for pools are not seen when they come; null: they are, or no node has one. */
  unseen: string | null
  /** Kinds of groups there of which none can be paused: Drydock may not patch them. */
  notPausable: string[]
  /** Only of pools: what else is governed is latched in the API server. */
  poolsOnly: boolean
}

interface Row {
  id: string
  state: string
  message: string | null
  heard: Date | null
  until: Date | null
  owned: boolean
  looked: boolean
  lookedAt: Date | null
  stale: boolean
  broken: string | null
  brokenSince: Date | null
  unpaused: WatchNow['unpaused']
  unseen: string | null
  unseenSince: Date | null
  found: Parameters<typeof notPausableKinds>[0] | null
  poolsOnly: boolean
}

const POOLS = "'machineconfigpools.machineconfiguration.openshift.io'"
/** Of a resource that is not there any more either, nobody is told what comes: it was served when that was last found. */
const UNSEEN = `state <> 'watching' AND resource = '${OS_CONFIGS}'
    AND EXISTS (SELECT 1 FROM config_node n WHERE n.cluster_id = c.id AND (n.current_image IS NOT NULL OR n.desired_image IS NOT NULL))`

const HOW = `
SELECT c.id, c.latch_form <> 'watch' AS "poolsOnly", c.state, c.state_message AS message, c.last_heard_at AS heard, l.until, coalesce(l.until > now(), false) AS owned,
  coalesce(c.watch_fence = l.fence, false) AS looked, c.watch_looked_at AS "lookedAt",
  coalesce(c.watch_looked_at < now() - interval '30 seconds', false) AS stale, s.broken, s.since AS "brokenSince",
  i.unseen, i.since AS "unseenSince", g.unpaused,
  CASE WHEN coalesce(p.governs, 'none') <> 'none' THEN c.discovery END AS found
FROM management_cluster c LEFT JOIN cluster_lease l ON l.cluster_id = c.id LEFT JOIN policy p ON p.cluster_id = c.id
CROSS JOIN LATERAL (
  SELECT string_agg(resource || coalesce(': ' || message, ''), '; ' ORDER BY resource) AS broken, min(last_heard_at) AS since
  FROM stream WHERE cluster_id = c.id AND state NOT IN ('watching', 'absent')
    AND (resource = ${POOLS} OR (c.latch_form = 'watch'
      AND resource IN ('machinedeployments.cluster.x-k8s.io', 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io')))) AS s
CROSS JOIN LATERAL (
  SELECT string_agg(resource || coalesce(': ' || message, ''), '; ') AS unseen, min(last_heard_at) AS since
  FROM stream WHERE cluster_id = c.id AND ${UNSEEN}) AS i
CROSS JOIN LATERAL (
  SELECT coalesce(json_agg(json_build_object('group', kind || ' ' || CASE WHEN namespace = '' THEN '' ELSE namespace || '/' END || name, 'why', watch_trouble) ORDER BY namespace, name), '[]') AS unpaused
  FROM machine_group WHERE cluster_id = c.id AND watch_trouble IS NOT NULL
    AND (c.latch_form = 'watch' OR kind = 'MachineConfigPool')) AS g`

const POOLS_BESIDE = `c.latch_form <> 'none' AND c.watch_since IS NOT NULL AND c.discovery->'resources' ? ${POOLS}`
const NOW = `${HOW} WHERE c.latch_form = 'watch' OR (${POOLS_BESIDE} AND coalesce(p.pools, 'pausing') = 'pausing')`
/** Also where they are only paused until the API server latches them. */
const OF_POOLS = `${HOW} WHERE c.id = $1::uuid AND (c.latch_form = 'watch' OR ${POOLS_BESIDE})`

/** Of every management cluster whose governed groups Drydock watches and pauses, by its id. */
export async function watchesNow(): Promise<Map<string, WatchNow>> {
  const { rows } = await pool().query<Row>(NOW)
  return new Map(rows.map((row) => [row.id, nowOf(row)]))
}

export const watchNow = async (clusterId: string): Promise<WatchNow | undefined> => (await watchesNow()).get(clusterId)

/** How the watch by which a cluster's pools are held is now; undefined: they are not held so. */
async function poolsWatchNow(clusterId: string): Promise<WatchNow | undefined> {
  const { rows } = await pool().query<Row>(OF_POOLS, [clusterId])
  return rows[0] && nowOf(rows[0])
}

export const NO_WORKER = 'no worker of Drydock follows this cluster'

/** A worker sees what comes there, by the database's clock. */
export async function isFollowed(clusterId: string): Promise<boolean> {
  const { rows } = await pool().query('SELECT 1 FROM cluster_lease WHERE cluster_id = $1::uuid AND until > now()', [
    clusterId,
  ])
  return rows.length > 0
}

/** Why pools that are to be held by pausing are not, now; null: they are watched. */
export async function poolsDownNow(clusterId: string): Promise<string | null> {
  const now = await poolsWatchNow(clusterId)
  return now ? now.down : 'Drydock does not watch its pools yet'
}

function nowOf(row: Row): WatchNow {
  const { unpaused, unseen, unseenSince, found, poolsOnly } = row
  const { down, since } = downOf(row)
  const notPausable = notPausableKinds(found ?? {}).filter((kind) => kind === POOL || !poolsOnly)
  return {
    down,
    since: down === null && unseen !== null ? unseenSince : since,
    unpaused,
    unseen,
    notPausable,
    poolsOnly,
  }
}

function downOf(row: Row): Pick<WatchNow, 'down' | 'since'> {
  const { state, message, heard, until, owned, looked, lookedAt, stale, broken, brokenSince } = row
  if (!owned) return { down: NO_WORKER, since: until }
  if (state !== 'connected')
    return { down: message?.replace(/\.$/, '') ?? 'Drydock is not connected to its API server', since: heard }
  if (broken !== null) return { down: `the watch of its groups is down (${broken})`, since: brokenSince }
  if (looked && stale) return { down: 'its groups are not looked at', since: lookedAt }
  return looked
    ? { down: null, since: null }
    : { down: 'its groups are being looked at for the first time', since: null }
}

/** What is known of this form, from how it is now. */
export function watchStatus({ down, since, unpaused, unseen, notPausable, poolsOnly }: WatchNow): LatchStatus {
  const groups = poolsOnly ? 'pools' : 'groups'
  const about = { findings: [], proved: null, watch: true as const }
  const [first] = unpaused
  if (down !== null)
    return {
      ...about,
      state: 'not-watching',
      message: `Nothing holds changes of governed ${groups} now: ${down}. What is held stays held; what is changed meanwhile goes ahead, and what is left of it is paused when Drydock watches again.`,
      ...(since ? { since: since.toISOString() } : {}),
    }
  if (first)
    return {
      ...about,
      state: 'ineffective',
      message: `${first.group}${unpaused.length > 1 ? ` and ${unpaused.length - 1} more` : ''} changed and could not be paused: ${first.why}`,
    }
  if (notPausable.length > 0)
    return {
      ...about,
      state: 'ineffective',
      message: `Nothing holds changes of ${notPausable.map((kind) => `a ${kind}`).join(' or ')}: Drydock watches the governed ${groups}, and may not patch ${notPausable.length > 1 ? 'those' : 'one'}, which is how it pauses. The permission is missing.`,
    }
  if (unseen !== null)
    return {
      ...about,
      state: 'not-watching',
      message: `OS images that are built for pools are not seen now: the watch of them is down (${unseen}). One that is built meanwhile is held only when nodes are told of it, and not at all while Drydock may not read it. Configurations are watched.`,
      ...(since ? { since: since.toISOString() } : {}),
    }
  return {
    ...about,
    state: 'watching',
    message: `Drydock watches the governed ${groups}, and pauses one when it sees it changed. That is after the change was stored: controllers may have begun.`,
  }
}
