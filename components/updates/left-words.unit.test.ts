import { expect, test } from 'vitest'
import { leftWords } from './left-words'

type Of = Parameters<typeof leftWords>[0]
const at = '2026-11-21T16:00:00.000Z'
const machine = (name: string, state: string, more: object = {}) => ({
  name,
  progress: { state, startedAt: at, finishedAt: null, ...more },
})
const of = { clusterName: 'disc', groupName: 'w', stillHeld: false }
const words = (leftBy: Of['leftBy'], ...machines: object[]) =>
  leftWords({ ...of, leftBy, machinesList: machines as Of['machinesList'] })
const ADA = { name: 'Ada', moves: false }

test('who disconnected it, whether it moved by that, and what was half-way', () => {
  expect(words(null, machine('a', 'failed'))).toBeNull()
  expect(words(ADA)).toBe('Ada disconnected disc.')
  expect(leftWords({ ...of, stillHeld: true, leftBy: ADA, machinesList: [] })).toBe(
    'Ada disconnected disc. w is still held there, and nobody releases it from here.',
  )
  const over = [
    machine('a', 'done', { finishedAt: at }),
    machine('b', 'waiting', { startedAt: null }),
    { name: 'c', progress: null },
  ]
  expect(words({ ...ADA, moves: true }, ...over)).toBe(
    'Ada disconnected disc, although this moved by it. What moved by it nobody here has seen.',
  )
  expect(words({ ...ADA, moves: true }, ...over, machine('d', 'failed'), machine('e', 'updating'))).toBe(
    'Ada disconnected disc, although this moved by it. Half-way then, as Drydock saw it last: d had failed, e was being updated. What became of that nobody here has seen.',
  )
  const unready = machine('f', 'done', { finishedAt: at, awaited: true })
  expect(words(ADA, unready)).toContain('Half-way then, as Drydock saw it last: f was not Ready yet.')
  const many = ['1', '2', '3', '4', '5'].map((name) => machine(name, 'deleting'))
  expect(words(ADA, ...many)).toContain('3 was being deleted and 2 more.')
})
