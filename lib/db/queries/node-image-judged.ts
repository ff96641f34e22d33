import { KNOWN } from '@/lib/domain/boot-images/platforms/gcp'
import { FLOOR_NOW } from '@/lib/domain/skew/floors'
import { knownBySets } from './joining'

/**
 * Machines by the image that their spec names, which no controller changes afterwards; and nodes that no Machine stands for. Of these
 * clusters: an expression of uuid[].
 */
const groups = (
  clusters: string,
): string => `SELECT m.cluster_id, m.machine_set, m.control_plane, m.boot_image, m.boot_image_version,
    count(*)::int AS machines, count(m.node)::int AS nodes, min(m.created_at) AS oldest, max(m.created_at) AS newest,
    count(*) FILTER (WHERE m.provisioned_since IS NOT NULL AND m.state = 'failed')::int AS stuck
  FROM machine m WHERE m.provider = 'machine.openshift.io' AND m.cluster_id = ANY(${clusters}) GROUP BY 1, 2, 3, 4, 5
  UNION ALL
  SELECT n.cluster_id, NULL, false, NULL, NULL, 0, count(*)::int, NULL, NULL, 0 FROM config_node n WHERE n.cluster_id = ANY(${clusters})
  AND NOT EXISTS (SELECT 1 FROM machine m WHERE m.cluster_id = n.cluster_id AND m.node = n.name AND m.provider = 'machine.openshift.io')
  GROUP BY 1`

const STREAM = `o.evidence->>'streamVersion'`
/** A version of OpenShift in an image's own name says its minor release, and no more. */
const TO_COMPARE = `CASE WHEN d.dated = g.boot_image_version THEN substring(${STREAM} from '^[0-9]+[.][0-9]+[.]') || '0' ELSE ${STREAM} END`

/** As isSureByName has it: in a project of one's own an image may be called anything. */
const SURE_BY_NAME = `CASE o.platform WHEN 'GCP' THEN g.boot_image LIKE '${KNOWN}/%' WHEN 'Azure' THEN false ELSE true END`

/** Columns of `node_image`. */
export const JUDGED_COLUMNS = `id, cluster_id, name, control_plane, boot_image, platform, version, version_key, wanted, dated, dated_sure,
  verdict, machines, nodes, stuck, oldest, newest`

/**
 * Each with how old its image is and what that means, as lib/domain/joining has it: by equality with what the release
 * wants, by its own name, or by what a machine set tells of an image of that name. Whatever this reads and tells, the triggers that mark a cluster
 * as stale have to look at: see the migration node_images.
 */
export const judged = (
  clusters: string,
): string => `SELECT md5(ROW(g.cluster_id, g.machine_set, g.control_plane, g.machines = 0, g.boot_image, g.boot_image_version)::text)::uuid AS id,
    g.cluster_id, coalesce(g.machine_set, CASE WHEN g.control_plane THEN 'control plane' ELSE '' END) AS name, g.control_plane, g.boot_image,
    o.platform, o.version, o.version_key, s.wanted, d.dated,
    CASE WHEN (t.wanted AND o.evidence->>'streamVersion' IS NOT NULL) OR (g.boot_image_version LIKE 'RHCOS %' AND ${SURE_BY_NAME}) THEN 'certain'
      WHEN g.boot_image_version IS NOT NULL THEN 'likely' WHEN t.wanted THEN 'certain' WHEN t.dated IS NOT NULL THEN t.dated_sure END AS dated_sure,
    CASE WHEN boot_image_below(d.dated, o.floor_ocp, o.floor_rhel) THEN 'below'
      -- Also that of another architecture, or a copy.
      WHEN t.wanted OR d.dated LIKE 'RHCOS %' AND o.evidence->'rhcos' ? substr(d.dated, 7) THEN 'current'
      WHEN boot_image_newer(d.dated, ${STREAM}, o.evidence->'rhcos') THEN 'newer'
      WHEN boot_image_older(d.dated, ${TO_COMPARE}, o.evidence->'rhcos') THEN 'outdated'
      -- Its release has no limit; later ones would not take it.
      WHEN boot_image_below(d.dated, '${FLOOR_NOW.ocp}', '${FLOOR_NOW.rhel}') THEN 'outdated' ELSE 'unknown' END AS verdict,
    g.machines, g.nodes, g.stuck, g.oldest, g.newest
  FROM (${groups(clusters)}) g
  LEFT JOIN openshift_cluster o ON o.cluster_id = g.cluster_id
  LEFT JOIN boot_image_set s ON s.cluster_id = g.cluster_id AND s.namespace = 'openshift-machine-api'
    AND s.kind = CASE WHEN g.machine_set IS NULL THEN 'ControlPlaneMachineSet' ELSE 'MachineSet' END
    AND s.name = coalesce(g.machine_set, CASE WHEN g.control_plane THEN 'cluster' END)
  ${knownBySets('g', 'o.platform')}
  CROSS JOIN LATERAL (SELECT coalesce(CASE WHEN t.wanted THEN o.evidence->>'streamVersion' END, g.boot_image_version, t.dated) AS dated) d`

/** What is kept, but of the clusters that changed since: those are judged now. So a page is as true as the machines that it is about. */
export const NODE_IMAGES = `(
  SELECT ${JUDGED_COLUMNS} FROM node_image k WHERE k.cluster_id NOT IN (SELECT cluster_id FROM node_image_stale)
  UNION ALL ${judged('ARRAY(SELECT DISTINCT cluster_id FROM node_image_stale)')})`
