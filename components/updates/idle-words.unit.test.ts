import { expect, test } from 'vitest'
import { idleWords } from './idle-words'

type Of = Parameters<typeof idleWords>[0]
const change = { ended: 'newer', clusterName: 'dory', firstSeen: false, decisions: [], outlook: {}, machinesList: [] }
const said = (more: object) => idleWords({ ...change, ...more } as unknown as Of)
const APPROVED = { decisions: [{ mode: 'in-place', acceptedAt: '2026-11-21T16:00:00.000Z' }] }

test('that no machine moved is said only where nothing could: held in the write that brought it, and never let go', () => {
  expect(said({})).toBe('No machine moved.')
  expect(said({ decisions: [{ mode: 'in-place', acceptedAt: null }] })).toBe('No machine moved.')
  expect(said(APPROVED)).toBe('No machine is known to have begun.')
  // No answer came to the write that was to let it go.
  expect(said({ decisions: [{ mode: 'in-place', acceptedAt: null, unsure: true }] })).toBe(
    'No machine is known to have begun.',
  )
  expect(said({ letGoOutside: true })).toBe('No machine is known to have begun.')
})

test('what had begun before it was held late is not denied, also not once its cluster is gone', () => {
  const before = 'What had begun before Drydock saw the change is not counted here.'
  expect(said({ firstSeen: true })).toBe(`${before} No other machine is known to have begun.`)
  const gone = 'begun before dory was disconnected; what moved afterwards nobody here has seen.'
  expect(said({ firstSeen: true, ended: 'disconnected' })).toBe(`${before} No other machine is known to have ${gone}`)
  expect(said({ ended: 'disconnected' })).toBe(`No machine is known to have ${gone}`)
})

test('a machine that was made while only the gate held it is not denied', () => {
  expect(said({ madeUnasked: ['a'] })).toBe('No other machine is known to have begun.')
})

test('a machine that is, or was, out of service is told', () => {
  expect(said({ ...APPROVED, machinesList: [{ outOfService: true }, {}] })).toBe(
    '1 machine stays out of service until its group goes on. No other machine is known to have begun.',
  )
  expect(said({ ended: 'disconnected', outlook: { before: { outOfService: 2 } } })).toContain(
    '2 machines were chosen, and out of service. No other machine is known to have begun before dory',
  )
})
