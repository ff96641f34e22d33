import { expect, test } from 'vitest'
import { SKIP_PREFLIGHT, SKIPPED } from './names'
import { CHECKS, skip, unskip } from './skipped'

const all = CHECKS.join(',')
const patched = (before: Record<string, string>, patch: Record<string, string | null>) =>
  Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null)) as Record<
    string,
    string
  >

test.each<[string, Record<string, string>, Record<string, string | null> | null]>([
  ['nothing was there', {}, { [SKIP_PREFLIGHT]: all, [SKIPPED]: '' }],
  ['one was', { [SKIP_PREFLIGHT]: 'KubeadmVersionSkew' }, { [SKIP_PREFLIGHT]: 'KubeadmVersionSkew,ControlPlaneIsStable,ControlPlaneVersionSkew', [SKIPPED]: 'KubeadmVersionSkew' }],
  ['all are skipped', { [SKIP_PREFLIGHT]: 'All' }, null],
  ['these are skipped', { [SKIP_PREFLIGHT]: all }, null],
])('skip: %s', (_, before, expected) => expect(skip(before)).toEqual(expected)) // prettier-ignore

test.each<[string, Record<string, string>]>([
  ['nothing was there', {}],
  ['an empty one was', { [SKIP_PREFLIGHT]: '' }],
  ['one was', { [SKIP_PREFLIGHT]: ' KubeadmVersionSkew, Else' }],
])('and back as it was: %s', (_, before) => {
  const skipped = patched(before, skip(before)!)
  const back = patched(skipped, unskip(skipped)!)
  expect(back).toEqual(before[SKIP_PREFLIGHT] === '' ? {} : before)
})

test('what somebody else wrote meanwhile stays', () => {
  expect(unskip({ [SKIP_PREFLIGHT]: 'All', [SKIPPED]: '' })).toEqual({ [SKIPPED]: null })
  expect(unskip({ [SKIP_PREFLIGHT]: 'All' })).toBeNull()
  expect(skip({ [SKIP_PREFLIGHT]: CHECKS[0]!, [SKIPPED]: '' })).toBeNull()
})
