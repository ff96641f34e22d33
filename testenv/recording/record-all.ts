import { Play } from './play'
import { record } from './record'
import type { Scenario } from './scenarios'
import { stage, type Stage } from './stage'
import type { RealTestCluster } from '../test-cluster'

/**
 * Plays scenarios, `many` at a time, and hands over each log as soon as there is one, or what went wrong. The updater
 * takes `updaterMs` for a machine.
 */
export async function recordAll(
  cluster: RealTestCluster,
  scenarios: readonly Scenario[],
  { many, updaterMs }: { many: number; updaterMs: number },
  done: (scenario: Scenario, log: string | Error) => void,
): Promise<void> {
  const stages = new Map<boolean, Stage>()
  try {
    const kinds = [...new Set(scenarios.map((scenario) => scenario.inPlace ?? false))]
    const made = kinds.map(async (inPlace) => {
      stages.set(inPlace, await stage(cluster, inPlace ? updaterMs : undefined))
    })
    // All are waited for, so that each one that came about is ended.
    const failed = (await Promise.allSettled(made)).find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
    const left = [...scenarios.entries()]
    const play = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [number, scenario] = next
        const at = stages.get(scenario.inPlace ?? false)!
        const log = await recorded(at, cluster.managerLog, scenario, `g${number}`).catch((error: Error) => error)
        done(scenario, log)
      }
    }
    await Promise.all(Array.from({ length: many }, play))
  } finally {
    for (const at of stages.values()) await at.stop()
  }
}

async function recorded(
  at: Stage,
  managerLog: string,
  { title, shape, play }: Scenario,
  name: string,
): Promise<string> {
  await at.group(name, shape)
  const recording = await record({ ...at, managerLog }, name)
  try {
    await play(new Play(at, name, shape.replicas))
  } catch (error) {
    await recording.stop()
    throw error
  }
  return recording.log(title)
}
