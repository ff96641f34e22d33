import type { HookRequest } from './types'

/** What is done to one host, once per wanted state. */
export interface Host {
  namespace: string
  cluster: string
  machine: string
  version: string
}

export interface Answer {
  status: 'Success' | 'Failure'
  message: string
  retryAfterSeconds: number
}

interface Job {
  wanted: string
  readyAt: number
  done: boolean
}

/**
 * UpdateMachine: called again and again until it says done. The first call starts the work, later ones report on it,
 * and a call after the end says done again. Another wanted state starts anew.
 */
export class Updates {
  private readonly jobs = new Map<string, Job>()

  constructor(
    private readonly delayMs: number,
    private readonly onNode: ((host: Host) => Promise<void>) | undefined,
    private readonly now: () => number = Date.now,
  ) {}

  async step({ desired = {} }: HookRequest): Promise<Answer> {
    const machine = desired.machine
    if (!machine) return { status: 'Failure', message: 'the request has no desired.machine', retryAfterSeconds: 0 }
    const host: Host = {
      namespace: machine.metadata.namespace ?? '',
      cluster: machine.metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '',
      machine: machine.metadata.name,
      version: typeof machine.spec?.version === 'string' ? machine.spec.version : '',
    }
    const key = `${host.namespace}/${host.machine}`
    // The join token changes by itself and is a secret: it is neither compared nor kept.
    const wanted = JSON.stringify([
      machine.spec?.version,
      desired.infrastructureMachine?.spec,
      withoutDiscovery(desired.bootstrapConfig?.spec),
    ])
    let job = this.jobs.get(key)
    if (job?.wanted !== wanted) this.jobs.set(key, (job = { wanted, readyAt: this.now() + this.delayMs, done: false }))
    const left = job.readyAt - this.now()
    if (left > 0)
      return {
        status: 'Success',
        message: `patching ${host.machine}`,
        retryAfterSeconds: Math.min(5, Math.ceil(left / 1000)),
      }
    if (!job.done) {
      await this.onNode?.(host)
      job.done = true
    }
    return { status: 'Success', message: '', retryAfterSeconds: 0 }
  }
}

function withoutDiscovery(spec: Record<string, unknown> | undefined) {
  const join = spec?.joinConfiguration
  if (typeof join !== 'object' || join === null) return spec
  const { discovery: _token, ...rest } = join as Record<string, unknown>
  return { ...spec, joinConfiguration: rest }
}
