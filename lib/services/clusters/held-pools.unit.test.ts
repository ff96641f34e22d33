import { expect, test } from 'vitest'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import { livePools, poolsWords } from './held-pools'

const about = {
  openshift: {},
  clusterApi: {},
  resources: { 'machineconfigpools.machineconfiguration.openshift.io': 'v1' },
}
const capabilities = about as unknown as Capabilities
const refusing = (code: number) =>
  ({ list: () => Promise.reject(new KubeError(code, { message: 'no' } as never, 'GET')) }) as unknown as KubeClient

test('where pools may not be read that is said, and disconnecting goes on; any other failure ends it', async () => {
  expect(await livePools(refusing(403), capabilities)).toBeNull()
  await expect(livePools(refusing(500), capabilities)).rejects.toThrow('no')
  expect(await livePools(refusing(500), { ...capabilities, openshift: null })).toEqual({ held: [], free: [] })
})

test('what is said of pools is what whoever edits them can do then', () => {
  const words = (held: string[] | null, latchForm: string, pausing = false) =>
    poolsWords({ held, latchForm, pausing }).join(' ')
  expect(words(['a'], 'webhook')).toContain('only the break-glass group can do that then')
  expect(words(['a', 'b'], 'webhook', true)).toMatch(
    /^The 2 pools that are held stay paused.*anybody who may edit them/,
  )
  expect(words(['a'], 'none')).toContain('anybody who may edit it')
  expect(words([], 'webhook')).toBe('')
  expect(words(null, 'none')).toBe('')
  expect(words(null, 'policy')).toContain('not known')
})
