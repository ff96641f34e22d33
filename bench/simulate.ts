import { forecastDeployment } from '@/lib/domain/rollout/forecast'

const MINUTE = 60_000
const WAYS = {
  oneSpare: [1, 0],
  oneLess: [0, 1],
  quarter: ['25%', '25%'],
} as const

/** One group of so many machines played forward to its end: in place and replacing, with three strategies. */
export function simulate(machines: number): Promise<Record<string, number>> {
  const result: Record<string, number> = {}
  const all = Array.from({ length: machines }, (_, i) => ({
    ...{ name: `m-${String(i).padStart(6, '0')}`, createdAt: i + 1, hasNode: true, available: true },
  }))
  for (const [name, [maxSurge, maxUnavailable]] of Object.entries(WAYS))
    for (const canUpdate of [true, false]) {
      const key = `${name}${canUpdate ? 'InPlace' : 'Replacing'}`
      const times: number[] = []
      for (let i = 0; i < 3; i++) {
        const start = performance.now()
        const forecast = forecastDeployment(
          {
            ...{ replicas: machines, order: 'Random', now: 1e9 },
            strategy: { type: 'RollingUpdate', maxSurge, maxUnavailable },
            sets: [{ name: 'old', createdAt: 0, wanted: false, canUpdate, machines: all }],
          },
          () => MINUTE,
        )
        times.push(performance.now() - start)
        if (forecast.ends === null || forecast.lowest < forecast.floor) throw new Error('The rollout did not end well.')
      }
      result[`${key}Ms`] = Math.round(times.sort((a, b) => a - b)[1]!)
    }
  result.heapMb = Math.round(process.memoryUsage().heapUsed / 1_048_576)
  return Promise.resolve(result)
}
