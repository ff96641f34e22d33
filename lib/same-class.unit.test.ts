import { expect, test, vi } from 'vitest'
import { KubeError, KubeUnreachable } from './kubernetes/types'
import { WatchSilent } from './kubernetes/watch'

test('an error of the cluster is one, whichever copy of its class made it; others are not', async () => {
  vi.resetModules()
  const other = await import('./kubernetes/types')
  expect(other.KubeError).not.toBe(KubeError)
  const refused = new other.KubeError(404, { kind: 'Status', code: 404 }, 'GET')
  const silent = new other.KubeUnreachable('nobody', 'GET')
  expect(refused).toBeInstanceOf(KubeError)
  expect(silent).toBeInstanceOf(KubeUnreachable)
  expect(refused).toBeInstanceOf(Error)
  expect(refused).not.toBeInstanceOf(KubeUnreachable)
  expect(new Error('x')).not.toBeInstanceOf(KubeError)
  for (const nothing of [null, undefined, 'x', {}]) expect(nothing instanceof KubeError).toBe(false)
  expect(new KubeUnreachable('nobody', 'GET')).not.toBeInstanceOf(WatchSilent)
  expect(new WatchSilent('silent', 'GET')).toBeInstanceOf(KubeUnreachable)
  expect(new WatchSilent('silent', 'GET')).toBeInstanceOf(WatchSilent)
})
