import { pool } from '@/lib/db/client'
import { isSureByName } from '@/lib/domain/boot-images/version-in-name'
import { FLOOR_NOW } from '@/lib/domain/skew/floors'
import { standsToRelease } from '@/lib/domain/skew/evidence'
import { standing } from '@/lib/domain/skew/verdict'
import { compareVersions, minorOf, parseVersion } from '@/lib/domain/skew/version'

interface MachineRow {
  cluster: string
  set: string | null
  plane: boolean
  image: string | null
  version: string | null
  node: string | null
  stuck: boolean
  made: string
}
interface SetRow {
  cluster: string
  namespace: string
  kind: string
  name: string
  state: string
  current: string | null
  wanted: string | null
  dated: string | null
  sure: string | null
}
interface ClusterRow {
  cluster: string
  platform: string | null
  version: string | null
  ocp: string | null
  rhel: string | null
  stream: string | null
  rhcos: string[] | null
}

/** One machine, or one node that no Machine stands for, by itself: what is the same of all that are told together. */
interface Judged {
  told: unknown[]
  group: unknown[]
  machines: number
  nodes: number
  stuck: number
  made: string | null
}

const THREE = /^[0-9]+[.][0-9]+[.][0-9]+$/
const isOlder = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && THREE.test(a) && THREE.test(b) && compareVersions(parseVersion(a)!, parseVersion(b)!) < 0

/** False before true. */
const by =
  (...keys: ((set: SetRow) => boolean | string)[]) =>
  (a: SetRow, b: SetRow) => {
    for (const key of keys) if (key(a) !== key(b)) return key(a) < key(b) ? -1 : 1
    return 0
  }

function judge(m: MachineRow, o: ClusterRow | undefined, sets: SetRow[]): Judged {
  const mine = sets.filter(({ cluster }) => cluster === m.cluster)
  const platform = o?.platform ?? null
  const ofImage = ({ wanted, current }: SetRow) => m.image !== null && (wanted === m.image || current === m.image)
  const known = (platform === 'VSphere' ? [] : mine.filter(ofImage)).sort(
    by(
      (s) => s.wanted !== m.image,
      (s) => s.name !== m.set,
      (s) => s.dated === null,
      (s) => s.name,
      (s) => s.kind,
      (s) => s.namespace,
    ),
  )[0]
  const wants = known !== undefined && known.wanted === m.image
  const stream = o?.stream ?? null
  const equal = wants ? stream : null
  const dated = equal ?? m.version ?? known?.dated ?? null
  const sureByName = isSureByName(m.image ?? '', platform ?? '')
  const byName = m.version === null ? null : m.version.startsWith('RHCOS ') && sureByName ? 'certain' : 'likely'
  const sure = (equal && 'certain') ?? byName ?? (wants ? 'certain' : known?.dated ? known.sure : null)
  const kind = m.set === null ? 'ControlPlaneMachineSet' : 'MachineSet'
  const name = m.set ?? (m.plane ? 'cluster' : null)
  const own = mine.find((s) => s.namespace === 'openshift-machine-api' && s.kind === kind && s.name === name)
  const rhcos = dated?.startsWith('RHCOS ') ? dated.slice(6) : undefined
  // By either half of a floor alone: rows of a test may have one.
  const half = (floor: { ocp: string | null; rhel: string | null }): boolean => {
    if (dated === null || (rhcos ? floor.rhel : floor.ocp) === null) return false
    const whole = { ocp: floor.ocp ?? '0.0.0', rhel: floor.rhel ?? '0.0', source: 'table' } as const
    return standing(rhcos ? { rhcosVersion: rhcos } : { ocpVersion: dated }, whole) === 'below'
  }
  const below = half({ ocp: o?.ocp ?? null, rhel: o?.rhel ?? null })
  const stands = rhcos && standsToRelease(rhcos, o?.rhcos ?? [])
  // Its own name says a minor release, and no more.
  const than = dated !== null && dated === m.version && stream ? `${minorOf(stream)}.0` : stream
  const outdated = stands === 'older' || isOlder(dated, than) || half(FLOOR_NOW)
  const newer = stands === 'newer' || (!rhcos && isOlder(stream, dated))
  const verdict = below
    ? 'below'
    : wants || (rhcos && o?.rhcos?.includes(rhcos))
      ? 'current'
      : newer
        ? 'newer'
        : outdated
          ? 'outdated'
          : 'unknown'
  return {
    told: [
      ...[m.cluster, m.set ?? (m.plane ? 'control plane' : ''), m.plane, m.image, platform, o?.version ?? null],
      ...[own?.wanted ?? null, dated, sure, verdict],
    ],
    group: [m.cluster, m.set, m.plane, m.image, m.version],
    machines: 1,
    nodes: m.node === null ? 0 : 1,
    stuck: m.stuck ? 1 : 0,
    made: m.made,
  }
}

const read = async <T extends object>(sql: string): Promise<T[]> => (await pool().query<T>(sql)).rows

/** What is to be told: each machine judged by itself by the rules of lib/domain, and only then counted. As texts, in order. */
export async function judgedOneByOne(): Promise<string[]> {
  const machines = await read<MachineRow>(
    `SELECT cluster_id AS cluster, machine_set AS set, control_plane AS plane, boot_image AS image, boot_image_version AS version, node,
       provisioned_since IS NOT NULL AND state = 'failed' AS stuck, created_at::text AS made
     FROM machine WHERE provider = 'machine.openshift.io'`,
  )
  const sets = await read<SetRow>(
    'SELECT cluster_id AS cluster, namespace, kind, name, state, current, wanted, dated, dated_sure AS sure FROM boot_image_set',
  )
  const clusters = await read<ClusterRow>(
    `SELECT cluster_id AS cluster, platform, version, floor_ocp AS ocp, floor_rhel AS rhel, evidence->>'streamVersion' AS stream,
       evidence->'rhcos' AS rhcos FROM openshift_cluster`,
  )
  const nodes = await read<{ cluster: string; name: string }>('SELECT cluster_id AS cluster, name FROM config_node')
  const of = (cluster: string) => clusters.find((o) => o.cluster === cluster)
  const all = machines.map((m) => judge(m, of(m.cluster), sets))
  for (const { cluster, name } of nodes)
    if (!machines.some((m) => m.cluster === cluster && m.node === name)) {
      const bare = { cluster, set: null, plane: false, image: null, version: null, node: name, stuck: false, made: '' }
      all.push({ ...judge(bare, of(cluster), []), group: [cluster], machines: 0, made: null })
    }
  return counted(all)
}

function counted(all: Judged[]): string[] {
  const groups = new Map<string, Judged[]>()
  for (const one of all) {
    const key = JSON.stringify(one.group)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const sum = (some: Judged[], key: 'machines' | 'nodes' | 'stuck') => some.reduce((n, one) => n + one[key], 0)
  return [...groups.values()]
    .map((some) => {
      const made = some.flatMap((one) => one.made ?? []).sort()
      const counts = (['machines', 'nodes', 'stuck'] as const).map((key) => sum(some, key))
      return JSON.stringify([...some[0]!.told, ...counts, made[0] ?? null, made.at(-1) ?? null])
    })
    .sort()
}

const TOLD = `n.cluster_id, n.name, n.control_plane, n.boot_image, n.platform, n.version, n.wanted, n.dated, n.dated_sure, n.verdict,
  n.machines, n.nodes, n.stuck, n.oldest::text, n.newest::text`

/** What stands in a table or statement that has these columns as `n`, in the same form. */
export async function toldBy(from: string): Promise<string[]> {
  const { rows } = await pool().query<unknown[]>({ text: `SELECT ${TOLD} FROM ${from}`, rowMode: 'array' })
  return rows.map((row) => JSON.stringify(row)).sort()
}
