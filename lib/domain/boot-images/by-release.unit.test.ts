import { expect, test } from 'vitest'
import { asksForArch, awaitsUpdate, eitherDoes, knowsStreams, putsOff } from './by-release'

test.each<[string | null, string, string, string]>([
  ['4.17.30', 'no', 'no', 'no'],
  ['4.18.5', 'no', 'no', 'no'],
  ['4.19.7', 'no', 'no', 'no'],
  ['4.20.3', 'some', 'no', 'some'],
  ['4.21.0-rc.1', 'yes', 'no', 'some'],
  ['4.22.3', 'yes', 'yes', 'yes'],
  ['4.23.0', 'yes', 'yes', 'yes'],
  ['5.1.0', 'yes', 'yes', 'yes'],
  ['nightly', 'yes', 'yes', 'yes'],
  [null, 'yes', 'yes', 'yes'],
])('%s asks for an architecture, knows streams, awaits an update', (release, arch, streams, awaits) => {
  expect([asksForArch(release), knowsStreams(release), awaitsUpdate(release)]).toEqual([arch, streams, awaits])
})

test.each<[string, string | null, string]>([
  ['4.19.9', '4.19.7', 'no'],
  ['4.20.1', '4.19.7', 'some'],
  ['4.20.9', '4.20.3', 'some'],
  ['4.22.3', '4.21.9', 'some'],
  ['4.22.9', '4.22.3', 'yes'],
  // The first installation.
  ['4.19.7', '4.19.7', 'no'],
])('an update to %s of %s', (version, runs, off) => {
  expect(putsOff([{ state: 'Partial', version }], runs)).toBe(off)
  expect(putsOff([{ state: 'Completed', version }], runs)).toBe('no')
})

test('without a history nothing is put off', () => expect(putsOff(undefined, '4.22.3')).toBe('no'))

test.each<[string, string[], string, string]>([
  ['no update', [], '4.21.9', 'no'],
  ['to 4.22', ['4.22.3'], '4.21.9', 'some'],
  ['within 4.22', ['4.22.9'], '4.22.3', 'yes'],
  ['to 4.22, and back', ['4.21.9', '4.22.3'], '4.21.9', 'some'],
])('whether the operator knows streams: %s', (_, begun, release, knows) => {
  const partial = begun.map((version) => ({ state: 'Partial', version }))
  const history = [...partial, { state: 'Completed', version: release }, { state: 'Completed', version: '4.22.0' }]
  expect(eitherDoes(knowsStreams, history, release)).toBe(knows)
})
