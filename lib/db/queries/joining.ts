import { REPLACED_ON } from '@/lib/domain/boot-images/may-be-replaced'
import type { JoiningSaid } from '@/lib/domain/joining'
import type { Floor } from '@/lib/domain/skew/floors'
import type { HistoryEntry } from '@/lib/domain/skew/types'
import { pool } from '../client'

export interface JoiningRow {
  id: string
  name: string
  namespace: string
  groupKind: string | null
  groupName: string | null
  controlPlane: boolean
  clusterId: string
  cluster: string
  createdAt: Date
  since: Date
  said: JoiningSaid
  providerId: string | null
  image: string | null
  imageVersion: string | null
  platform: string | null
  version: string | null
  completedAt: string | null
  /** Without moments, where it was stored before those were kept. */
  history: (HistoryEntry & { completionTime?: string | null })[] | null
  streamVersion: string | null
  streamRelease: string | null
  /** RHCOS versions that the release has for the platform. */
  rhcos: string[] | null
  floorOcp: string | null
  floorRhel: string | null
  /** In which kind of version that may be higher. */
  unsure: Floor['unsure'] | null
  /** Its set's own image. */
  setState: string | null
  setCurrent: string | null
  setDated: string | null
  managed: boolean | null
  outcome: string | null
  /** Whether its image is what the release wants of a set, and how old a set's image of the same name is. */
  wanted: boolean
  /**
   * Architecture that it is the release's image for, where its own set's machines have another. On a cluster of several that is but an
   * annotation that people write: where one of this set has joined with this image, that is what is wrong.
   */
  otherArch: string | null
  dated: string | null
  datedSure: string | null
  sameImage: MatesRow
  sameSet: MatesRow
  all: MatesRow
}

export interface MatesRow {
  joined: number
  first: string | null
  last: string | null
  ever: number
  /** The newest of those that joined at any time. */
  newest: string | null
  stuck: number
}

/** As machine_image_idx has it. */
const OF_OPENSHIFT = `x.provider = 'machine.openshift.io'`
/** What has the name of an image is the same one still. */
const keepsItsName = (platform: string) =>
  `coalesce(${platform} NOT IN (${REPLACED_ON.map((on) => `'${on}'`).join(', ')}), true)`
/** Over machines `x` of a cluster whose release is complete since `k.completed`. */
const MATES = `count(*) FILTER (WHERE x.node IS NOT NULL AND x.created_at >= k.completed)::int AS joined,
  min(x.created_at) FILTER (WHERE x.node IS NOT NULL AND x.created_at >= k.completed) AS first,
  max(x.created_at) FILTER (WHERE x.node IS NOT NULL AND x.created_at >= k.completed) AS last,
  count(x.node)::int AS ever, max(x.created_at) FILTER (WHERE x.node IS NOT NULL) AS newest,
  count(*) FILTER (WHERE x.provisioned_since IS NOT NULL AND x.state = 'failed')::int AS stuck`
const AS_ROW = (mates: string) =>
  `json_build_object('joined', coalesce(${mates}.joined, 0), 'first', ${mates}.first, 'last', ${mates}.last, 'ever', coalesce(${mates}.ever, 0), 'newest', ${mates}.newest, 'stuck', coalesce(${mates}.stuck, 0))`

/**
 * Of those of these machines that have an instance and no node: all that tells why. What is counted over a cluster is counted once,
 * however many of its machines are asked for.
 */
export async function joiningRows(ids: readonly string[]): Promise<JoiningRow[]> {
  if (ids.length === 0) return []
  const { rows } = await pool().query<JoiningRow>(
    `WITH stuck AS (SELECT * FROM machine WHERE id = ANY($1::uuid[]) AND provisioned_since IS NOT NULL),
       k AS (SELECT o.*, (o.evidence->>'completedAt')::timestamptz AS completed FROM openshift_cluster o
             WHERE o.cluster_id IN (SELECT cluster_id FROM stuck)),
       images AS (SELECT i.cluster_id, i.boot_image, ${MATES}
         FROM (SELECT DISTINCT cluster_id, boot_image FROM stuck WHERE boot_image IS NOT NULL) i JOIN k ON k.cluster_id = i.cluster_id
         JOIN machine x ON x.cluster_id = i.cluster_id AND x.boot_image = i.boot_image AND ${OF_OPENSHIFT} GROUP BY 1, 2),
       sets AS (SELECT i.cluster_id, i.namespace, i.group_kind, i.group_name, ${MATES}
         FROM (SELECT DISTINCT cluster_id, namespace, workload_cluster, group_kind, group_name FROM stuck WHERE group_name IS NOT NULL) i
         JOIN k ON k.cluster_id = i.cluster_id
         JOIN machine x ON x.cluster_id = i.cluster_id AND x.workload_cluster = i.workload_cluster AND x.group_kind = i.group_kind
           AND x.group_name = i.group_name AND x.namespace = i.namespace GROUP BY 1, 2, 3, 4),
       whole AS (SELECT k.cluster_id, ${MATES} FROM k JOIN machine x ON x.cluster_id = k.cluster_id AND ${OF_OPENSHIFT} GROUP BY 1)
     SELECT m.id, m.name, m.namespace, m.group_kind AS "groupKind", m.group_name AS "groupName", m.control_plane AS "controlPlane",
       m.cluster_id AS "clusterId", c.name AS cluster, m.created_at AS "createdAt", m.provisioned_since AS since, m.joining AS said,
       m.provider_id AS "providerId", m.boot_image AS image, m.boot_image_version AS "imageVersion", k.platform, k.version,
       k.evidence->>'completedAt' AS "completedAt", k.evidence->'history' AS history, k.evidence->>'streamVersion' AS "streamVersion",
       k.evidence->>'streamRelease' AS "streamRelease", k.evidence->'rhcos' AS rhcos, k.floor_ocp AS "floorOcp", k.floor_rhel AS "floorRhel",
       k.evidence->'unsure' AS unsure,
       s.state AS "setState", s.current AS "setCurrent", s.dated AS "setDated", s.managed, s.outcome, coalesce(t.wanted, false) AND o.arch IS NULL AS wanted, o.arch AS "otherArch", t.dated,
       t.dated_sure AS "datedSure", ${AS_ROW('i')} AS "sameImage", ${AS_ROW('g')} AS "sameSet", ${AS_ROW('w')} AS "all"
     FROM stuck m JOIN management_cluster c ON c.id = m.cluster_id LEFT JOIN k ON k.cluster_id = m.cluster_id
     LEFT JOIN boot_image_set s ON s.cluster_id = m.cluster_id AND s.kind = m.group_kind AND s.namespace = m.namespace AND s.name = m.group_name
     ${knownBySets('m', 'k.platform')}
     LEFT JOIN LATERAL (SELECT max(x.arch) AS arch FROM boot_image_set x WHERE x.cluster_id = m.cluster_id AND x.wanted = m.boot_image
       HAVING bool_and(coalesce(x.arch <> s.arch, false)) AND ${keepsItsName('k.platform')}
         AND NOT EXISTS (SELECT 1 FROM machine x WHERE x.cluster_id = m.cluster_id AND x.boot_image = m.boot_image AND ${OF_OPENSHIFT}
           AND x.group_kind = m.group_kind AND x.namespace = m.namespace AND x.group_name = m.group_name AND x.node IS NOT NULL)) o ON true
     LEFT JOIN images i ON i.cluster_id = m.cluster_id AND i.boot_image = m.boot_image
     LEFT JOIN sets g ON g.cluster_id = m.cluster_id AND g.namespace = m.namespace AND g.group_kind = m.group_kind AND g.group_name = m.group_name
     LEFT JOIN whole w ON w.cluster_id = m.cluster_id
     ORDER BY m.name, m.id`,
    [ids],
  )
  return rows
}

/**
 * What machine sets tell of the image of `m`: whether the release wants it of one of them, else how old one finds it that starts
 * machines from it, or did before, the machine's own set first. Nothing, where another image may have had that name when the machine was made.
 */
export const knownBySets = (m: string, platform: string): string => `LEFT JOIN LATERAL (
    SELECT x.wanted IS NOT DISTINCT FROM ${m}.boot_image AS wanted, x.dated, x.dated_sure FROM (
      SELECT s.name, s.kind, s.namespace, s.wanted, s.current, s.dated, s.dated_sure, 0 AS ago FROM boot_image_set s WHERE s.cluster_id = ${m}.cluster_id
      UNION ALL SELECT s.name, s.kind, s.namespace, NULL, f->>'image', f->>'dated', f->>'sure', n FROM boot_image_set s, jsonb_array_elements(s.former)
        WITH ORDINALITY AS e(f, n) WHERE s.cluster_id = ${m}.cluster_id) x
    WHERE (x.wanted = ${m}.boot_image OR x.current = ${m}.boot_image) AND ${keepsItsName(platform)}
    ORDER BY x.wanted IS NOT DISTINCT FROM ${m}.boot_image DESC, x.name IS NOT DISTINCT FROM ${m}.machine_set DESC, x.dated IS NULL, x.ago, x.name, x.kind, x.namespace LIMIT 1) t ON true`
