import { Agent, request } from 'undici'
import { childrenRan } from './cpu'
import { percentile } from './setup'
import { startBenchWeb } from './web'

const ROUNDS = 12

/** The pages' requests over HTTP, signed in, one after another, each a dozen times. The first path is the list as it opens. */
export async function asked(paths: readonly string[]): Promise<Record<string, number>> {
  const web = await startBenchWeb()
  const dispatcher = new Agent()
  const ask = async (path: string) => {
    const [started, ran] = [performance.now(), childrenRan()]
    const answer = await request(web.url + encodeURI(path), { headers: { cookie: web.cookie }, dispatcher })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path} answered HTTP ${answer.statusCode}: ${text.slice(0, 200)}`)
    return { ms: performance.now() - started, cpu: childrenRan() - ran, bytes: text.length }
  }
  try {
    return await measured(paths, ask)
  } finally {
    await dispatcher.close()
    await web.stop()
  }
}

type Answer = { ms: number; cpu: number; bytes: number }

async function measured(
  paths: readonly string[],
  ask: (path: string) => Promise<Answer>,
): Promise<Record<string, number>> {
  for (const path of paths) await ask(path)
  const answers = new Map<string, Answer[]>(paths.map((path) => [path, []]))
  for (let round = 0; round < ROUNDS; round++) for (const path of paths) answers.get(path)!.push(await ask(path))
  const all = [...answers.values()].flat()
  const at = (of: 'ms' | 'cpu', share: number, some = all) =>
    percentile(
      some.map((answer) => answer[of]),
      share,
    )
  const round = (ms: number) => Math.round(ms * 10) / 10
  const worst = paths.map((path) => ({ path, ms: at('ms', 0.95, answers.get(path)) })).sort((a, b) => b.ms - a.ms)
  return {
    requests: all.length,
    p50Ms: round(at('ms', 0.5)),
    p95Ms: round(at('ms', 0.95)),
    cpuP50Ms: round(at('cpu', 0.5)),
    cpuP95Ms: round(at('cpu', 0.95)),
    firstViewP95Ms: round(at('ms', 0.95, answers.get(paths[0]!))),
    firstViewKb: Math.round(answers.get(paths[0]!)![0]!.bytes / 1024),
    ...Object.fromEntries(worst.slice(0, 4).map(({ path, ms }) => [`p95 ${path}`, round(ms)])),
  }
}
