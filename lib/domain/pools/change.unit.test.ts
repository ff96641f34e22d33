import { expect, test } from 'vitest'
import { imageField, poolOutlook, poolSummary, restOf, type PoolStep } from './change'
import type { ConfigChange, ConfigDiff } from './config-diff'
import { effectOf } from './effect'

const step = (more: Partial<PoolStep> = {}): PoolStep => ({
  ...{ pool: 'worker', from: { name: 'a', release: '4.22.4' }, to: { name: 'b', release: '4.22.4' } },
  ...{ machines: 3, outdated: 3, atOnce: 1, limit: '1' },
  ...more,
})
const file: ConfigChange = {
  ...{ part: 'file', name: '/etc/motd', kind: 'changed', current: null, desired: null, lines: null, note: null },
}
const diff: ConfigDiff = { changes: [file], effect: effectOf([file]) }
const headline = (...of: Parameters<typeof poolOutlook>) => poolOutlook(...of).inPlace!.headline

test('what taking it up does goes by the node disruption policies where those are known, and says that they are those of now', () => {
  expect(headline(step(), diff, null)).toContain('whether a node disruption policy of this cluster says otherwise')
  const policies = { files: [{ path: '/etc/motd', actions: ['None'] }], units: [], sshKey: [] }
  expect(headline(step(), diff, policies)).toBe(
    '3 nodes of worker would take up file /etc/motd, at most 1 at once. A node takes this up without drain and reboot. That is by the node disruption policies of now.',
  )
})

test('held in the middle, what waits is said without what has begun; not where nothing has, or all', () => {
  const outlook = poolOutlook(step({ machines: 5, outdated: 5 }), diff, null)
  const at = (underWay: number) => restOf(outlook, { inPlace: 0, created: 0, deleted: 0, underWay }).inPlace!.headline
  expect(at(2)).toMatch(/^3 of 5 nodes of worker would take up .* 2 have begun, and go on to their end\.$/)
  expect(at(1)).toMatch(/^4 of 5 nodes of worker .* 1 has begun, and goes on to its end\.$/)
  for (const n of [0, 5]) expect(at(n)).toBe(outlook.inPlace!.headline)
})

test('an image that is built is named, and that another may come later', () => {
  const image = { known: true as const, name: 'registry/os@sha256:1' }
  const alone = step({ to: { name: 'a', release: null }, image, built: image.name })
  expect(headline(alone, null, null)).toBe(
    '3 nodes of worker would take up the OS image registry/os@sha256:1, at most 1 at once. A node that takes it up is drained and rebooted.',
  )
  const pair = { from: 'a', machines: 3, fingerprint: 'f', changes: imageField(alone) }
  expect(poolSummary(alone, pair, null)).toBe('another OS image')
  const both = step({ image })
  expect(headline(both, diff, null)).toContain('file /etc/motd, with the OS image registry/os@sha256:1, at most')
  expect(poolSummary(both, pair, diff)).toBe('file /etc/motd, with another OS image')
  expect(headline(step({ built: image.name }), diff, null)).toContain('waits for an approval of its own')
  expect(headline(step({ ...alone, image: { known: true, name: null } }), null, null)).toContain(
    'the OS image of the release, at',
  )
  expect(headline(step({ ...alone, image: { known: false } }), null, null)).toContain('may not read')
})

test('it is told by what differs, and by the name of its config only where that is not known', () => {
  const name = 'rendered-worker-3f9a1c2e4b5d60718293a4b5c6d7e8f9'
  const of = step({ from: { name: 'a', release: null }, to: { name, release: null } })
  expect(headline(of, null, null)).toBe('3 nodes of worker would take up configuration 3f9a1c2e, at most 1 at once.')
  expect(headline({ ...of, outdated: 0 }, diff, null)).toContain('has to take up file /etc/motd now')
  const pair = { from: 'a', machines: 3, fingerprint: 'f', changes: [] }
  expect(poolSummary(of, pair, diff)).toBe('file /etc/motd')
  expect(poolSummary(of, { ...pair, unread: 'gone' }, null)).toBe('configuration 3f9a1c2e, which cannot be read')
  expect(poolOutlook(of, diff, null).pool).toEqual({
    ...{ config: name, effect: { does: 'reboot', sure: false } },
    ...{ limit: '1', machines: 3 },
  })
})

test('what it does to a node: nobody knows where something is not compared, and an image is a reboot whatever else comes', () => {
  const policies = { files: [{ path: '/etc/motd', actions: ['None'] }], units: [], sshKey: [] }
  const effect = (...of: Parameters<typeof poolOutlook>) => poolOutlook(...of).pool?.effect
  expect(effect(step(), diff, policies)).toEqual({ does: 'none', sure: true })
  expect(effect(step(), { changes: [{ ...file, part: 'other' }], effect: '' }, policies)).toBeNull()
  expect(effect(step(), null, policies)).toBeNull()
  expect(effect(step({ image: { known: false } }), diff, policies)).toEqual({ does: 'reboot', sure: true })
})

test('how many go at once stands with the share that it comes from', () => {
  expect(headline(step({ machines: 9, outdated: 9, atOnce: 2, limit: '25%' }), diff, null)).toContain(
    ', at most 2 at once (25%).',
  )
})
