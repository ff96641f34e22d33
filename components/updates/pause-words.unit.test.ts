import { expect, it } from 'vitest'
import { isToPause, leavesTaken, pauseKept, pauseWords } from './pause-words'

const of = (part: object) => {
  const { does, meanwhile } = pauseWords({
    ...{ groupKind: 'MachineDeployment', unapproved: null, policy: { rules: {} }, ...part },
  } as unknown as Parameters<typeof pauseWords>[0])
  return `${does} ${meanwhile}`
}
const rules = (value: boolean) => ({ policy: { rules: { scaleWhileHeld: { value } } } })

it('says of a group whether it scales while it is paused', () => {
  expect(of(rules(true))).toMatch(/held as before: it scales, as its policy lets it, and its other settings/)
  expect(of(rules(false))).toMatch(/held as before: it does not scale, and its other settings/)
  expect(of({ groupKind: 'KubeadmControlPlane' })).toMatch(/it does not scale/)
})

it.each([null, 'taken'])('speaks of a pool’s nodes, which has no replicas; moving unapproved: %s', (unapproved) => {
  const said = of({ groupKind: 'MachineConfigPool', unapproved })
  expect(said).toMatch(/^(.*)odes that have begun go through to the end/)
  expect(said).toMatch(
    /While it is paused the pool is held as before: its nodes take up nothing else either, and new ones may join it\.$/,
  )
  expect(said).not.toMatch(/group|machine|scale/i)
})

it('says that somebody’s own pause of its group keeps it already, and this one besides', () => {
  const said = of({ ...rules(true), state: 'running', held: { theirs: 'group' } })
  expect(said).toMatch(/^Machines that have begun are finished\. Somebody’s own pause keeps the rest now; once that/)
  expect(said).not.toContain('may still begin')
  expect(of({ ...rules(true), state: 'running', held: { theirs: 'cluster' } })).toContain('may still begin')
})

it('a pause is nothing to offer where nothing begins any more', () => {
  expect(isToPause({ awaited: null })).toBe(true)
  expect(isToPause({ awaited: { names: ['a'], says: '' } } as never)).toBe(false)
})

it.each<[string, object, boolean]>([
  ['one of those who may took it away', {}, true],
  ['Drydock could not pause it again', { unpaused: 'forbidden' }, false],
  ['Drydock pauses it again each time', { governance: { latchForm: 'watch' } }, false],
  ['nothing held it', { unapproved: 'never-held' }, false],
])('a hold that was taken away is said to be left so only where it is: %s', (_, part, is) => {
  const of = { unapproved: 'taken', governance: { latchForm: 'policy' }, unpaused: null, ...part }
  expect(leavesTaken(of as Parameters<typeof leavesTaken>[0])).toBe(is)
})

it('of what its times hold: it does not go when they let it, and resumed before that it waits for them', () => {
  const said = of({ ...rules(false), state: 'waiting' })
  expect(said).toMatch(/^It does not go by itself when its windows, freezes and waves let it, before somebody/)
  expect(said).toContain('Resumed before its time, it waits for that as now.')
  expect(said).not.toContain('a moment')
  const approved = 'What it was approved with stands.'
  const listed = (due: boolean) =>
    of({ policy: { rules: {}, listed: { due } }, groupKind: 'KubeadmControlPlane', state: 'waiting' })
  expect(listed(true)).toContain(approved)
  // Its policy asks nobody.
  expect(listed(false)).not.toContain(approved)
})

it('says that its reason stands on the object only where the pause writes that', () => {
  expect(pauseKept({ state: 'running' })).toContain('and on the object')
  expect(pauseKept({ state: 'waiting' })).toBe('It is kept in the audit, and stands on the page.')
})
