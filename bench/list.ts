import { Agent, request } from 'undici'
import { pool } from '@/lib/db/client'
import { percentile, setUp } from './setup'
import { startBenchWeb, built, UNBUILT } from './web'

/** What people ask of the list: orders, filters, words, versions, one cluster, many at once. */
const QUERIES = [
  '',
  'sort=name',
  'sort=name&dir=desc',
  'sort=version&dir=desc',
  'sort=age',
  'limit=500',
  'cluster=bench-1',
  'workload=c7',
  'cluster=bench-0&workload=c3&sort=version',
  'q=phase:Failed',
  'q=state:failed,not-ready',
  'q=verdict:replace',
  'q=verdict:!replace',
  'q=version:<1.34',
  'q=version:1.33.2&sort=name',
  'q=group:md-12',
  'q=node:node-4242',
  'q=zone:zone-b state:updating',
  'q=error:yes&sort=age',
  'q=role:control-plane',
  'q=0042',
  'q=md-7 phase:Running',
  'q=nothing-has-this-name',
]
const ROUNDS = 8
const DEEP = 25

/** The list's own route, over HTTP, signed in, one request after another, over so many machines of four management clusters. */
export async function list(machines: number): Promise<Record<string, number>> {
  if (!built()) throw new Error(UNBUILT)
  const bench = await setUp(100)
  try {
    await generate(machines)
    const web = await startBenchWeb()
    const dispatcher = new Agent()
    try {
      const ask = async (query: string) => {
        const started = performance.now()
        const { statusCode, body } = await request(`${web.url}/api/machines?${encodeURI(query)}`, {
          headers: { cookie: web.cookie },
          dispatcher,
        })
        const page = (await body.json()) as { total: number; after: string | null; title?: string }
        if (statusCode !== 200) throw new Error(`${query} answered HTTP ${statusCode}: ${page.title ?? ''}`)
        return { ms: performance.now() - started, ...page }
      }
      for (const query of QUERIES) await ask(query)
      const times = new Map<string, number[]>(QUERIES.map((query) => [query, []]))
      for (let round = 0; round < ROUNDS; round++) {
        for (const query of QUERIES) times.get(query)!.push((await ask(query)).ms)
      }
      const deep: number[] = []
      for (const sort of ['severity', 'name', 'version', 'age']) {
        let after: string | null = ''
        for (let page = 0; page < DEEP && after !== null; page++) {
          const answer: Awaited<ReturnType<typeof ask>> = await ask(
            `sort=${sort}&limit=500${after && `&after=${after}`}`,
          )
          if (page > 0) deep.push(answer.ms)
          after = answer.after
        }
      }
      return figures(machines, times, deep)
    } finally {
      await dispatcher.close()
      await web.stop()
    }
  } finally {
    await bench.stop()
  }
}

function figures(machines: number, times: Map<string, number[]>, deep: number[]): Record<string, number> {
  const all = [...times.values()].flat().concat(deep)
  const worst = [...times].map(([query, ms]) => ({ query, ms: percentile(ms, 0.5) })).sort((a, b) => b.ms - a.ms)
  const slowest = worst.slice(0, 5).map(({ query, ms }) => [`median "${query}"`, round(ms)] as const)
  return {
    machines,
    requests: all.length,
    p50Ms: round(percentile(all, 0.5)),
    p95Ms: round(percentile(all, 0.95)),
    deepPagesP95Ms: round(percentile(deep, 0.95)),
    maxMs: round(Math.max(...all)),
    ...Object.fromEntries(slowest),
  }
}

const round = (ms: number) => Math.round(ms * 10) / 10

/** Rows as the worker writes them, with the spread of a real fleet: most are well, a few in a hundred are not. */
async function generate(machines: number): Promise<void> {
  await pool().query(`INSERT INTO management_cluster (id, name, server)
    SELECT gen_random_uuid(), 'bench-' || i, 'https://bench-' || i FROM generate_series(0, 3) i`)
  await pool().query(
    `WITH clusters AS (SELECT id, row_number() OVER (ORDER BY name) - 1 AS n FROM management_cluster WHERE name LIKE 'bench-%')
     INSERT INTO machine (id, cluster_id, provider, namespace, name, workload_cluster, group_kind, group_name, machine_set,
       control_plane, node, version, version_key, phase, failure_domain, state, severity, sentence, ready, available,
       up_to_date, error, provider_id, verdict, resource_version, created_at)
     SELECT gen_random_uuid(), c.id, 'cluster.x-k8s.io', 'fleet', 'md-' || i / 100 || '-' || substr(md5(i::text), 1, 5),
       'c' || (i / 100) % 40, 'MachineDeployment', 'md-' || i / 100, 'md-' || i / 100 || '-abcde', i % 50 = 0,
       CASE WHEN i % 97 <> 0 THEN 'node-' || i END, 'v1.' || 32 + i % 3 || '.' || i % 5,
       '000001.0000' || 32 + i % 3 || '.00000' || i % 5 || '~', CASE WHEN i % 97 = 0 THEN 'Failed' ELSE 'Running' END,
       'zone-' || substr('abc', 1 + i % 3, 1),
       CASE WHEN i % 97 = 0 THEN 'failed' WHEN i % 61 = 0 THEN 'not-ready' WHEN i % 53 = 0 THEN 'updating' ELSE 'ready' END,
       CASE WHEN i % 97 = 0 THEN 90 WHEN i % 61 = 0 THEN 70 WHEN i % 53 = 0 THEN 40 ELSE 0 END,
       'Running v1.' || 32 + i % 3 || '.' || i % 5 || '.', i % 97 <> 0, i % 97 <> 0, i % 3 = 2,
       CASE WHEN i % 97 = 0 THEN 'CreateError: the provider has no capacity for machine ' || i END, 'bench://' || i,
       CASE i % 10 WHEN 0 THEN 'replace' WHEN 1 THEN 'in-place' ELSE 'up-to-date' END, i::text,
       now() - make_interval(mins => i)
     FROM generate_series(0, $1::int - 1) i JOIN clusters c ON c.n = (i / 100) % 4`,
    [machines],
  )
  await pool().query('VACUUM ANALYZE machine')
}
