import { expect, test } from 'vitest'
import { storyOf, type MachineStory } from './machine-story'

const at = (seconds: number) => new Date(seconds * 1_000)
const machine = (more: Partial<MachineStory>): MachineStory => ({
  ...{ machineName: 'm', state: 'updating', predicted: 'in-place', message: null, startedAt: at(1), finishedAt: null },
  ...{ updater: null, updatersDone: [], illAt: null, illBy: null, throughAt: null, deletingAt: null, ...more },
})
const remediated = { state: 'deleted', illAt: at(60), illBy: 'c', deletingAt: at(61), finishedAt: at(90) }

test('what was at work when its change was found under way began before', () => {
  const texts = (found: Date) => storyOf(machine({}), found).map(({ text }) => text)
  expect(texts(at(0))[0]).toBe('m was being updated in place when this was first seen')
  expect(texts(at(-60))[0]).toBe('m began to be updated in place')
  const gone = storyOf(machine({ state: 'deleted', throughAt: at(5), deletingAt: at(8), finishedAt: at(9) }), at(0))
  expect(gone[0]!.text).toBe('m was being updated in place when this was first seen')
})

test('what is created for what others deleted is told as that', () => {
  const made = machine({ state: 'created', predicted: null })
  expect(storyOf(made, null, { madeUp: true })[0]!.text).toBe(
    'm is being created, in the place of one that was deleted',
  )
})

test.each<[string, Partial<MachineStory>, string[]]>([
  ['nothing began', { state: 'done', startedAt: null }, []],
  [
    'it went by itself, before anything began with it',
    { state: 'deleted', startedAt: null, deletingAt: at(2), finishedAt: at(5) },
    ['2 m is being deleted', '5 m: deleted, not by the rollout'],
  ],
  [
    'found ill while it waited',
    { state: 'waiting', startedAt: null, illAt: at(3), illBy: 'c' },
    ['3 m was found ill by the health check c'],
  ],
  [
    'found ill while it waited, and gone',
    { state: 'deleted', startedAt: null, illAt: at(3), illBy: 'c', deletingAt: at(4), finishedAt: at(4) },
    ['3 m was found ill by the health check c', '4 m: deleted, not by the rollout'],
  ],
  [
    'updated, and deleted by others',
    { state: 'deleted', throughAt: at(5), deletingAt: at(7), finishedAt: at(9) },
    [
      '1 m began to be updated in place',
      '5 m: updated in place',
      '7 m is being deleted, not by the rollout',
      '9 m: deleted, not by the rollout',
    ],
  ],
  [
    'begun, and deleted by others, in one and the same look',
    { state: 'deleted', updater: 'u', deletingAt: at(1), finishedAt: at(9), wentBy: 'others' },
    [
      '1 m began to be updated in place',
      '1 m is being deleted, not by the rollout',
      '9 m: deleted, not by the rollout',
    ],
  ],
  ['under way', {}, ['1 m began to be updated in place']],
  [
    'updated',
    { state: 'done', throughAt: at(10), finishedAt: at(10) },
    ['1 m began to be updated in place', '10 m: updated in place'],
  ],
  ['found ill', { illAt: at(60) }, ['1 m began to be updated in place', '60 m was found ill by its health check']],
  [
    'remediated in the middle of its update',
    remediated,
    [
      '1 m began to be updated in place',
      '60 m was found ill by the health check c',
      '61 m is being deleted: it is remediated',
      '90 m: deleted',
    ],
  ],
  [
    'marked by hand',
    { illAt: at(60), illBy: 'cluster.x-k8s.io/remediate-machine' },
    ['1 m began to be updated in place', '60 m was marked by somebody to be remediated'],
  ],
  [
    'updated first, and nobody knows which check it was',
    { ...remediated, throughAt: at(11), illBy: 'c, d' },
    [
      '1 m began to be updated in place',
      '11 m: updated in place',
      '60 m was found ill by one of the health checks c, d',
      '61 m is being deleted: it is remediated',
      '90 m: deleted',
    ],
  ],
  [
    'in the very second in which it began',
    { startedAt: at(1.4), illAt: at(1) },
    ['1.4 m began to be updated in place', '1.4 m was found ill by its health check'],
  ],
  [
    'replaced',
    { state: 'deleted', predicted: 'replace', deletingAt: at(1), finishedAt: at(9) },
    ['1 m is being deleted', '9 m: deleted'],
  ],
  [
    'replaced, before these times were kept',
    { state: 'deleted', predicted: 'replace', finishedAt: at(9) },
    ['1 m is being deleted', '9 m: deleted'],
  ],
  [
    'made, and deleted again',
    { state: 'deleted', predicted: null, throughAt: at(5), deletingAt: at(7), finishedAt: at(9) },
    [
      '1 m is being created',
      '5 m: created',
      '7 m is being deleted, not by the rollout',
      '9 m: deleted, not by the rollout',
    ],
  ],
  // That it failed changes nothing of what was told when it began.
  ['failed', { state: 'failed', finishedAt: at(3), message: 'No.' }, ['1 m began to be updated in place', '3 m: No.']],
  [
    'made, and failed',
    { state: 'failed', predicted: null, finishedAt: at(3), message: 'No.' },
    ['1 m is being created', '3 m: No.'],
  ],
  [
    'there before, and failed: that nothing was foretold of it makes it no new one',
    { state: 'failed', predicted: null, wasThere: true, finishedAt: at(3), message: 'No.' },
    ['1 m began to be updated in place', '3 m: No.'],
  ],
  [
    'failed when it was to be replaced',
    { state: 'failed', predicted: 'replace', finishedAt: at(3) },
    ['1 m began', '3 m: failed'],
  ],
])('%s', (_what, is, told) => {
  const steps = storyOf(machine(is)).filter((step) => step.at)
  expect(steps.map((step) => `${step.at!.getTime() / 1_000} ${step.text}`)).toEqual(told)
})

test('of a control plane that went in place it is told that it was not foretold, and never that others did it', () => {
  const told = (is: object) => storyOf(machine(is), null, { unforetold: true }).map(({ text }) => text)
  const goes = { state: 'deleted', deletingAt: at(7), finishedAt: at(9), wentBy: 'others' }
  const words = ['m is being deleted, not foretold', 'm: deleted, not foretold']
  expect(told({ ...goes, startedAt: null })).toEqual(words)
  expect(told({ ...goes, throughAt: at(5) }).slice(-2)).toEqual(words)
  expect(told({ ...goes, predicted: 'replace', deletingAt: at(1), wentBy: 'rollout' })).toEqual([
    'm is being deleted',
    'm: deleted',
  ])
})

test('that it was not well until it went is told as that, whoever deleted it, and of no machine that is there', () => {
  const unwell = { unwell: 'EtcdMemberHealthy is false', unwellSince: at(4) }
  const told = (is: object) =>
    storyOf(machine({ ...unwell, ...is }), null, { unforetold: true }).map(({ at: when, text }) => [when, text])
  const was = [at(4), 'm was not well from here until it went, as Drydock saw it: EtcdMemberHealthy is false']
  const goes = { state: 'deleted', startedAt: null, deletingAt: at(7), finishedAt: at(9) }
  expect(told({ ...goes, wentBy: 'others' })).toContainEqual(was)
  expect(told({ ...goes, startedAt: at(7), predicted: 'replace', wentBy: 'rollout' })).toContainEqual(was)
  expect(told({ ...goes, message: 'It is gone.' })).toContainEqual(was)
  expect(told({ state: 'done', finishedAt: at(3) })).not.toContainEqual(was)
})
