import { Agent, request } from 'undici'
import { childrenRan } from './cpu'
import { generate } from './fleet'
import { percentile, setUp } from './setup'
import { startBenchWeb, built, UNBUILT, type BenchWeb } from './web'

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
/** What else a page asks for again whenever something changed. */
const OTHERS = {
  fleet: '/api/fleet',
  fleetOfCluster: '/api/fleet?cluster=bench-1',
  shell: '/api/shell',
  updates: '/api/updates',
  searchMany: '/api/search?q=md',
  searchFew: '/api/search?q=node-4242',
}
const ROUNDS = 8
const DEEP = 25
const LIST = '/api/machines?'

interface Answer {
  ms: number
  /** CPU of the pages' process and of Postgres: what it would take on an idle machine, where one waits for the other. */
  cpu: number
  /** Of a list. */
  after?: string | null
}

/** What the pages ask for, over HTTP, signed in, one request after another, over so many machines of four management clusters. */
export async function list(machines: number): Promise<Record<string, number>> {
  if (!built()) throw new Error(UNBUILT)
  const bench = await setUp(100)
  try {
    await generate(machines)
    const web = await startBenchWeb()
    const dispatcher = new Agent()
    try {
      return { machines, ...(await measured((path) => ask(web, dispatcher, path))) }
    } finally {
      await dispatcher.close()
      await web.stop()
    }
  } finally {
    await bench.stop()
  }
}

async function ask(web: BenchWeb, dispatcher: Agent, path: string): Promise<Answer> {
  const [started, ran] = [performance.now(), childrenRan()]
  const { statusCode, body } = await request(web.url + encodeURI(path), { headers: { cookie: web.cookie }, dispatcher })
  const answer = (await body.json()) as { after?: string | null; title?: string }
  const ms = performance.now() - started
  if (statusCode !== 200) throw new Error(`${path} answered HTTP ${statusCode}: ${answer.title ?? ''}`)
  return { ms, cpu: childrenRan() - ran, after: answer.after }
}

async function measured(get: (path: string) => Promise<Answer>): Promise<Record<string, number>> {
  const paths = [...QUERIES.map((query) => LIST + query), ...Object.values(OTHERS)]
  for (const path of paths) await get(path)
  const answers = new Map<string, Answer[]>(paths.map((path) => [path, []]))
  for (let round = 0; round < ROUNDS; round++) for (const path of paths) answers.get(path)!.push(await get(path))
  const deep: Answer[] = []
  for (const sort of ['severity', 'name', 'version', 'age']) {
    let after: string | null | undefined = ''
    for (let page = 0; page < DEEP && after !== null; page++) {
      const answer: Answer = await get(`${LIST}sort=${sort}&limit=500${after && `&after=${after}`}`)
      if (page > 0) deep.push(answer)
      after = answer.after
    }
  }
  const all = QUERIES.flatMap((query) => answers.get(LIST + query)!).concat(deep)
  const worst = QUERIES.map((query) => ({ query, ...middle(answers.get(LIST + query)!) })).sort((a, b) => b.cpu - a.cpu)
  const others = Object.entries(OTHERS).map(([name, path]) => figures(name, answers.get(path)!))
  return Object.assign(
    { requests: all.length, ...figures('', all), ...figures('deepPages', deep) },
    ...worst.slice(0, 5).map(({ query, cpu }) => ({ [`median CPU "${query}"`]: round(cpu) })),
    ...others,
  ) as Record<string, number>
}

const middle = (answers: Answer[]) => ({
  cpu: percentile(
    answers.map((a) => a.cpu),
    0.5,
  ),
})

function figures(name: string, answers: Answer[]): Record<string, number> {
  const of = (what: 'ms' | 'cpu', share: number) =>
    round(
      percentile(
        answers.map((answer) => answer[what]),
        share,
      ),
    )
  const key = (text: string) => (name ? name + text[0]!.toUpperCase() + text.slice(1) : text)
  return {
    [key('p50Ms')]: of('ms', 0.5),
    [key('p95Ms')]: of('ms', 0.95),
    [key('cpuP50Ms')]: of('cpu', 0.5),
    [key('cpuP95Ms')]: of('cpu', 0.95),
  }
}

const round = (ms: number) => Math.round(ms * 10) / 10
