import { Agent, request } from 'undici'
import { generateBootImages, generateImageMachines } from '@/lib/services/skew/testing'
import { childrenRan } from './cpu'
import { percentile, setUp } from './setup'
import { built, startBenchWeb, UNBUILT } from './web'

/** What people ask of the fleet's boot images: the first view, orders, filters, words, pages, the machine sets of all. */
const PATHS = [
  '/api/boot-images',
  '/api/boot-images?limit=500',
  '/api/boot-images?sort=name',
  '/api/boot-images?sort=version&dir=desc',
  '/api/boot-images?sort=distance',
  '/api/boot-images?sort=review',
  '/api/boot-images?q=verdict:out-of-skew,update-failing',
  '/api/boot-images?q=platform:aws version:<4.22',
  '/api/boot-images?q=sets:outdated nodes:unknown',
  '/api/boot-images?q=review:due',
  '/api/boot-images?q=ocp-04',
  '/api/boot-images?q=nothing-has-this-name',
  '/api/boot-images/sets',
  '/api/boot-images/sets?q=state:outdated managed:no',
  '/api/boot-images/sets?sort=machines&limit=500',
  '/api/boot-images/sets?q=worker-7 arch:aarch64',
  '/api/boot-images/nodes',
  '/api/boot-images/nodes?q=verdict:outdated stuck:yes',
  '/api/boot-images/nodes?sort=age&limit=500',
  '/api/boot-images/clusters/ocp-007',
]
const ROUNDS = 12
/** Of each machine set. */
const MACHINES = 6

/** The fleet page's requests over HTTP, signed in, one after another, over so many clusters with eight machine sets each. */
export async function bootImages(clusters: number): Promise<Record<string, number>> {
  if (!built()) throw new Error(UNBUILT)
  const bench = await setUp(100)
  try {
    await generateBootImages(clusters)
    await generateImageMachines(MACHINES)
    const web = await startBenchWeb()
    const dispatcher = new Agent()
    const ask = async (path: string) => {
      const [started, ran] = [performance.now(), childrenRan()]
      const answer = await request(web.url + encodeURI(path), { headers: { cookie: web.cookie }, dispatcher })
      const text = await answer.body.text()
      if (answer.statusCode !== 200)
        throw new Error(`${path} answered HTTP ${answer.statusCode}: ${text.slice(0, 200)}`)
      return { ms: performance.now() - started, cpu: childrenRan() - ran, bytes: text.length }
    }
    try {
      return { clusters, ...(await measured(ask)) }
    } finally {
      await dispatcher.close()
      await web.stop()
    }
  } finally {
    await bench.stop()
  }
}

type Answer = { ms: number; cpu: number; bytes: number }

async function measured(ask: (path: string) => Promise<Answer>): Promise<Record<string, number>> {
  for (const path of PATHS) await ask(path)
  const answers = new Map<string, Answer[]>(PATHS.map((path) => [path, []]))
  for (let round = 0; round < ROUNDS; round++) for (const path of PATHS) answers.get(path)!.push(await ask(path))
  const all = [...answers.values()].flat()
  const at = (of: 'ms' | 'cpu', share: number, some = all) =>
    percentile(
      some.map((answer) => answer[of]),
      share,
    )
  const round = (ms: number) => Math.round(ms * 10) / 10
  const worst = PATHS.map((path) => ({ path, ms: at('ms', 0.95, answers.get(path)) })).sort((a, b) => b.ms - a.ms)
  return {
    requests: all.length,
    p50Ms: round(at('ms', 0.5)),
    p95Ms: round(at('ms', 0.95)),
    cpuP50Ms: round(at('cpu', 0.5)),
    cpuP95Ms: round(at('cpu', 0.95)),
    firstViewP95Ms: round(at('ms', 0.95, answers.get(PATHS[0]!))),
    firstViewKb: Math.round(answers.get(PATHS[0]!)![0]!.bytes / 1024),
    ...Object.fromEntries(worst.slice(0, 4).map(({ path, ms }) => [`p95 ${path}`, round(ms)])),
  }
}
