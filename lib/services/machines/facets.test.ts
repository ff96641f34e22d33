import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { releaseKey, versionKey } from '@/lib/domain/version'
import type { Ctx } from '../context'
import { formatFilter, type Term } from './filter'
import { listMachines, type MachinePage } from './list-machines'

useTestDatabase()
const ctx: Ctx = { actor: { kind: 'user', id: 'u', name: 'u', role: 'viewer' } }

/** More than are looked up by their kinds, so that filters take every way there is. */
const MACHINES = 2_400
const VERSIONS = ['v1.33.4', 'v1.34.0-rc.1', 'v1.34.0', 'v1.34.1+k3s1', 'v1.9.10', null]

interface Row {
  id: string
  name: string
  namespace: string
  cluster: string
  workload: string
  group: string | null
  node: string | null
  version: string | null
  zone: string | null
  image: string | null
  phase: string
  state: string
  severity: number
  verdict: string
  error: string | null
  controlPlane: boolean
  createdAt: Date
}
let rows: Row[]

beforeAll(async () => {
  await pool().query(
    `INSERT INTO management_cluster (id, name, server) SELECT gen_random_uuid(), name, '' FROM unnest('{atlas,borealis,c1}'::text[]) name`,
  )
  await pool().query(
    `INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, group_kind, group_name, control_plane, node,
       version, version_key, phase, failure_domain, state, severity, sentence, verdict, boot_image, error, resource_version, created_at)
     SELECT gen_random_uuid(), c.id, 'cluster.x-k8s.io', 'ns-' || i % 2, 'm-' || i % 1999, 'c' || i % 5, 'MachineDeployment',
       CASE WHEN i % 11 <> 0 THEN 'md_' || i % 13 END, i % 17 = 0, CASE WHEN i % 7 <> 0 THEN 'node-' || i END, v.v, v.k,
       CASE WHEN i % 19 = 0 THEN 'Failed' WHEN i % 23 = 0 THEN 'Deleting' ELSE 'Running' END,
       CASE WHEN i % 3 <> 0 THEN 'Zone-' || i % 3 END, CASE WHEN i % 19 = 0 THEN 'failed' ELSE 'ready' END,
       CASE WHEN i % 19 = 0 THEN 90 ELSE 0 END, '', CASE i % 10 WHEN 0 THEN 'replace' WHEN 1 THEN 'in-place' ELSE 'up-to-date' END,
       CASE WHEN i % 5 = 0 THEN 'AMI-' || i % 2 END, CASE WHEN i % 38 = 0 THEN '100% No_space ' || i END, '1',
       '2026-01-01'::timestamptz + make_interval(mins => i % 700)
     FROM generate_series(0, $3 - 1) i
     JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS v(v, k, n) ON v.n = 1 + i % cardinality($1)
     JOIN (SELECT id, row_number() OVER (ORDER BY name) AS n FROM management_cluster) c ON c.n = 1 + i % 3`,
    [VERSIONS, VERSIONS.map(versionKey), MACHINES],
  )
  const machines = await db().machine.findMany()
  const names = new Map((await db().managementCluster.findMany()).map(({ id, name }) => [id, name]))
  rows = machines.map((m) => ({
    ...m,
    cluster: names.get(m.clusterId)!,
    workload: m.workloadCluster,
    group: m.groupName,
    zone: m.failureDomain,
    image: m.bootImage,
  }))
})

const has = (text: string | null, part: string) => !!text?.toLowerCase().includes(part.toLowerCase())
const among = (text: string | null, values: string[]) => values.some((v) => v.toLowerCase() === text?.toLowerCase())
/** Three numbers of a version; pre-releases count as their version. */
const numbers = (version: string) => releaseKey(versionKey(version)!)

function compares(row: Row, operator: Term['operator'], values: string[]): boolean {
  if (!row.version) return false
  if (operator === '=') return values.some((v) => `${row.version!.replace(/[-+].*/, '')}.`.startsWith(`v${v}.`))
  const [a, b] = [numbers(row.version), numbers(values[0]!)]
  return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b
}

/** What a filter means, said once more and without SQL. */
function lets(row: Row, { key, not, operator, values }: Term): boolean {
  const yes = {
    cluster: () => values.includes(row.cluster) || values.includes(row.workload),
    group: () => values.some((v) => has(row.group, v)),
    node: () => values.some((v) => has(row.node, v)),
    image: () => values.some((v) => has(row.image, v)),
    role: () => row.controlPlane === values[0]!.startsWith('control'),
    error: () => (row.error !== null) === (values[0] === 'yes'),
    version: () => compares(row, operator, values),
    namespace: () => among(row.namespace, values),
    phase: () => among(row.phase, values),
    state: () => among(row.state, values),
    verdict: () => among(row.verdict, values),
    zone: () => among(row.zone, values),
  }[key]()
  return yes !== not
}

const VALUES = {
  cluster: ['atlas', 'c1', 'c4', 'nowhere'],
  group: ['md_1', 'md', '_7', 'md_12'],
  node: ['node-4', '17', '-'],
  namespace: ['ns-0', 'NS-1'],
  phase: ['running', 'Failed', 'Deleting'],
  state: ['failed', 'ready'],
  verdict: ['replace', 'in-place', 'up-to-date'],
  image: ['ami-1', 'AMI', 'x'],
  zone: ['zone-1', 'Zone-2'],
  role: ['control-plane', 'worker'],
  error: ['yes', 'no'],
  version: ['1.34', '1.34.0', '1.9', '1.33.4', '1.34.1'],
} as const satisfies Record<Term['key'], string[]>

const term = fc.constantFrom(...(Object.keys(VALUES) as Term['key'][])).chain((key) =>
  fc.record({
    key: fc.constant(key),
    not: fc.boolean(),
    operator: key === 'version' ? fc.constantFrom('=', '<', '<=', '>', '>=') : fc.constant('='),
    values: fc.uniqueArray(fc.constantFrom<string>(...VALUES[key]), {
      minLength: 1,
      maxLength: ['version', 'role', 'error'].includes(key) ? 1 : 2,
    }),
  }),
) as fc.Arbitrary<Term>
const question = fc.record(
  {
    terms: fc.array(term, { maxLength: 3 }),
    words: fc.array(fc.constantFrom('m-1', 'node-12', '100%', 'no_space', 'e', 'nothing'), { maxLength: 1 }),
    cluster: fc.constantFrom('atlas', 'borealis'),
    workload: fc.constantFrom('c1', 'c2'),
    sort: fc.constantFrom('severity', 'name', 'version', 'age'),
    dir: fc.constantFrom('asc', 'desc'),
  },
  { requiredKeys: ['terms', 'words', 'sort', 'dir'] },
)

const KEYS: Record<string, (row: Row) => number | string> = {
  severity: (row) => row.severity,
  name: (row) => row.name,
  version: (row) => versionKey(row.version) ?? '',
  age: (row) => row.createdAt.getTime(),
}

async function walk(input: Record<string, unknown>): Promise<{ first: MachinePage; ids: string[] }> {
  const first = await listMachines(ctx, { ...input, limit: 500 })
  const ids = first.machines.map((m) => m.id)
  for (let { after } = first; after;) {
    const page: MachinePage = await listMachines(ctx, { ...input, limit: 500, after })
    ids.push(...page.machines.map((m) => m.id))
    after = page.after
  }
  return { first, ids }
}

const counted = (values: string[]) => {
  const sums = new Map<string, number>()
  for (const value of values) sums.set(value, (sums.get(value) ?? 0) + 1)
  return [...sums].sort()
}

describe('lists and facets', () => {
  it('are what counting one machine after another says, under any filter, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ terms, words, cluster, workload, sort, dir }) => {
        const expected = rows.filter(
          (row) =>
            (!cluster || row.cluster === cluster) &&
            (!workload || row.workload === workload) &&
            terms.every((t) => lets(row, t)) &&
            words.every((w) => [row.name, row.node, row.error].some((text) => has(text, w))),
        )
        const scope = { ...(cluster && { cluster }), ...(workload && { workload }) }
        const { first, ids } = await walk({ q: formatFilter({ terms, words }), sort, dir, ...scope })
        expect(first.problems).toEqual([])
        expect(first.total).toBe(expected.length)
        const facets = Object.fromEntries(
          Object.entries(first.facets).map(([name, counts]) => [name, counts.map((c) => [c.value, c.count]).sort()]),
        )
        expect(facets).toEqual({
          cluster: counted(expected.map((row) => row.workload)),
          verdict: counted(expected.map((row) => row.verdict)),
          state: counted(expected.map((row) => row.state)),
          phase: counted(expected.map((row) => row.phase)),
        })
        expect([...ids].sort()).toEqual(expected.map((row) => row.id).sort())
        const byId = new Map(expected.map((row) => [row.id, KEYS[sort]!(row)]))
        const keys = ids.map((id) => byId.get(id)!)
        const sign = dir === 'asc' ? 1 : -1
        expect(
          keys.every((key, i) => i === 0 || (key === keys[i - 1] ? 0 : key > keys[i - 1]! ? 1 : -1) * sign >= 0),
        ).toBe(true)
      }),
      { numRuns: 120 },
    )
  }, 120_000)

  it('orders versions as semver does, those without one first', async () => {
    const { first } = await walk({ sort: 'version' })
    expect(first.machines[0]!.version).toBeNull()
    const all = await pool().query<{ version: string | null }>(
      `SELECT version FROM machine ORDER BY coalesce(version_key, '')`,
    )
    expect([...new Set(all.rows.map((row) => row.version))]).toEqual([
      ...[null, 'v1.9.10', 'v1.33.4', 'v1.34.0-rc.1', 'v1.34.0', 'v1.34.1+k3s1'],
    ])
  })
})
