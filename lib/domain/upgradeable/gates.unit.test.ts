import { describe, expect, it } from 'vitest'
import { ackPatch, formOf, gateApplies, gatedVersion, judgeGates, stops } from './gates'

describe('the form of the report goes by the release that is at work', () => {
  it.each([
    ['4.18.20', 'conditions'],
    ['4.22.99', 'conditions'],
    ['4.22.0-rc.1', 'conditions'],
    ['4.23.0', 'risks'],
    ['5.0.0', 'risks'],
    [null, 'risks'],
    ['nightly', 'risks'],
  ] as const)('%s: %s', (version, form) => expect(formOf(version)).toBe(form))
})

describe('whether a gate stops a version', () => {
  it.each([
    // name, version, up to 4.22, from 4.23 on
    ['ack-4.21-boot-image-opt-out-in-4.22', '4.21.14', 'yes', 'yes'],
    ['ack-4.21-boot-image-opt-out-in-4.22', '4.22.3', 'no', 'no'],
    ['ack-4.21-boot-image-opt-out-in-4.22', '4.20.9', 'no', 'no'],
    // Only the minor number is compared up to 4.22.
    ['ack-5.21-x', '4.21.14', 'yes', 'no'],
    ['ack-4.1-x', '4.14.8', 'no', 'no'],
    ['ack-4.08-x', '4.8.0', 'no', 'malformed'],
    ['ack-4.21-x', '4.21.0-rc.2', 'yes', 'yes'],
    ['ack-4.21--x', '4.21.14', 'malformed', 'malformed'],
    ['ack-4.21-', '4.21.14', 'malformed', 'malformed'],
    ['ack-4.21', '4.21.14', 'malformed', 'malformed'],
    ['ack-6.0-x', '6.0.1', 'malformed', 'malformed'],
    ['ack-4.x-y', '4.21.14', 'malformed', 'malformed'],
    ['ACK-4.21-x', '4.21.14', 'malformed', 'malformed'],
    ['my-ack-4.21-x', '4.21.14', 'malformed', 'malformed'],
    ['ack-4.22-sample-gate-in-4.23', 'not a version', 'no', 'no'],
  ] as const)('%s on %s: %s, %s', (name, version, before, since) => {
    expect(gateApplies('conditions', name, version)).toBe(before)
    expect(gateApplies('risks', name, version)).toBe(since)
  })

  it('looks at the newest completed version, later at that of the operator', () => {
    const history = [
      { state: 'Partial', version: '4.23.1' },
      { state: 'Completed', version: '4.22.4' },
    ]
    expect(gatedVersion('conditions', history, '4.23.1')).toBe('4.22.4')
    expect(gatedVersion('risks', history, '4.23.1')).toBe('4.23.1')
    const installing = [
      { state: 'Partial', version: '4.22.1' },
      { state: 'Partial', version: '4.21.0' },
    ]
    expect(gatedVersion('conditions', installing, '4.22.1')).toBe('4.21.0')
    expect(gatedVersion('conditions', [], '4.22.1')).toBeNull()
  })
})

describe('what became of a gate', () => {
  const history = [{ state: 'Completed', version: '4.22.4' }]
  const state = (gates: Record<string, string>, acks: Record<string, string> | null) =>
    judgeGates('conditions', { history, desired: '4.22.4', gates, acks }).map((g) => [g.name, g.state])

  it.each([
    ['true', 'acknowledged'],
    ['True', 'waiting'],
    ['yes', 'waiting'],
    ['', 'waiting'],
    [' true', 'waiting'],
  ])('an acknowledgement that says "%s" leaves it %s', (value, is) => {
    expect(state({ 'ack-4.22-a': 'Confirm.' }, { 'ack-4.22-a': value })).toEqual([['ack-4.22-a', is]])
  })

  it('puts first what a person has to look at', () => {
    const gates = { 'ack-4.21-old': 'Old.', 'ack-4.22-b': 'B.', bad: 'Bad.', 'ack-4.22-c': '', 'ack-4.22-a': 'A.' }
    const judged = state(gates, { 'ack-4.22-a': 'true', 'ack-4.18-gone': 'true' })
    expect(judged).toEqual([
      ['ack-4.22-b', 'waiting'],
      ['bad', 'malformed'],
      ['ack-4.22-c', 'empty'],
      ['ack-4.22-a', 'acknowledged'],
      ['ack-4.21-old', 'other-release'],
      ['ack-4.18-gone', 'no-gate'],
    ])
    expect(judged.filter(([, s]) => stops(s as 'waiting'))).toHaveLength(3)
  })

  it('takes no ConfigMap of acknowledgements for none given', () => {
    expect(state({ 'ack-4.22-a': 'A.' }, null)).toEqual([['ack-4.22-a', 'waiting']])
  })

  it('is patched by its key alone', () => {
    expect(ackPatch('ack-4.22-a', true)).toEqual({ data: { 'ack-4.22-a': 'true' } })
    expect(ackPatch('ack-4.22-a', false)).toEqual({ data: { 'ack-4.22-a': null } })
  })

  it('may be called as what every object has', () => {
    expect(judgeGates('conditions', { history, desired: '4.22.4', gates: { constructor: 'x' }, acks: {} })).toEqual([
      { name: 'constructor', text: 'x', state: 'malformed', release: null, ack: null },
    ])
  })
})
