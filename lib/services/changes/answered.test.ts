import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { FieldChange, RevisionPair } from '@/lib/domain/changes'
import { answeredOtherwise } from './answered'

useTestDatabase()

let groupId: string
beforeEach(() => void (groupId = randomUUID()))

const machine = (path: string, desired?: string): FieldChange => ({
  ...{ object: 'machine', path, current: 'before' },
  ...(desired === undefined ? {} : { desired }),
})
const content = (desired: string): FieldChange => ({
  object: 'bootstrap',
  path: 'files[0]',
  current: 'before',
  desired,
})
const [version, template, after] = [
  machine('version', 'v1.34.1'),
  machine('bootstrap.configRef.name', 'next'),
  { object: 'machine' as const, path: 'rollout.after', desired: '2099-01-01T00:00:00Z' },
]
const AHEAD = { later: true as const, certainReplace: 'when that comes' }
const of = (changes: FieldChange[], data: Partial<RevisionPair> = {}): RevisionPair => ({
  ...{ from: 'md-old', machines: 3, fingerprint: randomUUID(), changes },
  ...data,
})

async function answered(
  mode: string,
  pairs: RevisionPair[],
  finishedAt: Date | null = null,
  on = groupId,
  approved?: RevisionPair[],
) {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: randomUUID(), server: 'https://x' } })
  const fingerprint = randomUUID()
  await db().change.create({
    data: {
      ...{ clusterId, groupId: on, groupKind: 'MachineDeployment', namespace: 'fleet', groupName: 'md' },
      ...{ workloadCluster: 'w', fingerprint, digest: fingerprint, state: 'superseded', summary: '', heldBy: 'latch' },
      ...{ resourceVersion: '1', machines: 1, changeSet: { pairs, fields: [] } as never, outlook: {}, finishedAt },
      decisions: {
        create: {
          ...{ fingerprint, mode, actorId: 'a', actorName: 'Ada', acceptedAt: new Date() },
          ...(approved ? { pairs: approved as never } : {}),
        },
      },
    },
  })
}
const asked = (mode: 'in-place' | 'replace', ...pairs: RevisionPair[]) =>
  answeredOtherwise({ groupId, groupKind: 'MachineDeployment', pairs }, mode)

describe.each([
  ['replace', 'in-place', 'was approved replacing before'],
  ['in-place', 'replace', 'was approved in place before'],
] as const)('answered %s', (was, now, words) => {
  const one = of([version, template, content('one')])
  test.each<[what: string, first: RevisionPair, then: RevisionPair, isRemembered: boolean]>([
    ['its templates edited where they stand', one, of([version, template, content('two')]), true],
    ['nothing left in them that differs', one, of([version, template]), true],
    ['in another order', one, of([content('one'), template, version]), true],
    ['with a date ahead', one, of([after, version, template], AHEAD), true],
    ['by the name of a template alone, with a date ahead', of([template, after], AHEAD), of([template]), true],
    ['from another MachineSet', one, of(one.changes, { from: 'md-other' }), false],
    ['to another version', one, of([machine('version', 'v1.34.2'), template, content('one')]), false],
    ['to a template of another name', one, of([version, machine('bootstrap.configRef.name', 'third')]), false],
    [
      'to no failure domain',
      of([version, machine('failureDomain', 'a')]),
      of([version, machine('failureDomain')]),
      false,
    ],
    ['of a date that has passed', one, of([after, version], { certainReplace: 'passed' }), false],
  ])('%s', async (_, first, then, isRemembered) => {
    await answered(was, [of([version], { from: 'md-older' }), first])
    const said = await asked(now, of([version], { from: 'md-newer' }), then)
    if (isRemembered) expect(said).toContain(`md-old to the same version and templates ${words}`)
    else expect(said).toBeNull()
    expect(await asked(was, then)).toBeNull()
  })

  test('what was changed back and is wished again is remembered for a day after that', async () => {
    await answered(was, [one], new Date(Date.now() - 23 * 3_600_000))
    expect(await asked(now, of([version, template, content('two')]))).toContain(words)
  })

  test('an old revision of which nothing was left when it was held again is remembered', async () => {
    await answered(was, [of([version], { from: 'md-older' })], null, groupId, [
      one,
      of([version], { from: 'md-older' }),
    ])
    expect(await asked(now, one)).toContain(`md-old to the same version and templates ${words}`)
  })

  test('after a day it is asked about again', async () => {
    await answered(was, [one], new Date(Date.now() - 25 * 3_600_000))
    expect(await asked(now, one)).toBeNull()
  })

  test('of another group nothing is remembered', async () => {
    await answered(was, [one], null, randomUUID())
    expect(await asked(now, one)).toBeNull()
  })
})
