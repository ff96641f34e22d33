import { readFileSync, statSync } from 'node:fs'
import { until } from '../process'
import type { TestCluster } from '../types'
import { capture, KINDS, type Kind } from './capture'
import { History } from './history'
import { logOf } from './log'
import { choicesIn, decisionsIn } from './manager-log'

export interface Recording {
  /** Ends it once everything that the API server has was seen: the log in the golden form. */
  log(title: string): Promise<string>
  /** Ends it without one. */
  stop(): Promise<void>
}

export interface Recorder {
  cluster: TestCluster
  namespace: string
  /** Everything is covered by an updater there. */
  updater: boolean
  /** Where the core manager logs. */
  managerLog: string
}

/** Records a MachineDeployment that is at rest, from now on. */
export async function record({ cluster, namespace, updater, managerLog }: Recorder, name: string): Promise<Recording> {
  const { size } = statSync(managerLog)
  const taken = await capture(cluster.admin, namespace)
  const from = Math.max(...taken.versions.map(({ revision }) => revision))
  const seenAll = async () => {
    const history = new History(taken.versions, name)
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const { items } = await cluster.admin.list(KINDS[kind], namespace, { limit: 500 })
      const now = new History(
        items.map((object) => ({ kind, object, revision: 0, gone: false })),
        name,
      ).of(kind)
      const ids = (objects: { metadata: { uid: string; resourceVersion: string } }[]) =>
        objects
          .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
          .sort()
          .join()
      if (ids(history.at(kind, Infinity)) !== ids(now.map(({ object }) => object))) return false
    }
    return true
  }
  return {
    log: async (title) => {
      try {
        await until(`all that happened to ${name} to be seen`, seenAll, { ms: 30_000, every: 100 })
      } finally {
        await taken.stop()
      }
      const text = readFileSync(managerLog).subarray(size).toString('utf8')
      const [decisions, choices] = [decisionsIn(text, namespace, name), choicesIn(text, namespace, name)]
      return logOf({ title, from, updater, decisions, choices, history: new History(taken.versions, name) })
    },
    stop: () => taken.stop(),
  }
}
