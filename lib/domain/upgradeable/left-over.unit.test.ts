import { expect, it } from 'vitest'
import { upgradeableConditions } from './conditions'
import { explain } from './explain'
import { upgradeability } from './judge'
import type { UpgradeFacts } from './types'

const LEAD = 'Cluster should not be upgraded between minor or major versions for multiple reasons:'
const SKEW =
  'Upgrades have been disabled because the cluster is using OCP boot image version 4.12.0, which is below the minimum required version 4.13.0.'
const DELETED = 'Cluster minor level upgrades are not allowed while resource deletions are in progress; resources='
const [BEGUN, WHOLE] = ['Evaluate your workloads.', 'Evaluate your workloads. And read the notes.']

function judge(parts: string[], more: Partial<UpgradeFacts> = {}, desired = '4.23.1') {
  const [only] = parts
  const several = { reason: 'MultipleReasons', message: `${LEAD}\n* ${parts.join('\n* ')}` }
  const alone = { reason: 'RiskNameNotCompatibleWithReasonProperty', message: only! }
  const said = { type: 'Upgradeable', status: 'False', ...(parts.length > 1 ? several : alone) }
  const { blockers } = upgradeability({
    ...{
      desired,
      history: [{ state: 'Completed', version: desired }],
      conditions: [said],
      overrides: [],
      operators: [],
    },
    ...{ gates: {}, acks: {}, ...more },
  })
  return blockers
}
const gates = (a: string, b: string) => ({ 'ack-4.23-a': a, 'ack-4.23-b': b })
const acked = { 'ack-4.23-a': 'true', 'ack-4.23-b': 'true' }

it.each([
  ['acknowledged', acked, 'no-longer'],
  ['acknowledgements that cannot be read', undefined, 'both'],
])('words belong to the gate whose they are, not to one whose text they begin with: %s', (_, acks, said) => {
  for (const texts of [gates(BEGUN, WHOLE), gates(WHOLE, BEGUN)])
    expect(judge([BEGUN, WHOLE], { gates: texts, acks }).sort((a, b) => (a.item < b.item ? -1 : 1))).toMatchObject(
      Object.entries(texts).map(([item, message]) => ({ source: 'gate', item, message, said })),
    )
})

it('nor is the rest of a text of nobody’s, where the gate that it begins with waits and the other is acknowledged since', () => {
  const more = { gates: gates(BEGUN, WHOLE), acks: { 'ack-4.23-b': 'true' } }
  expect(judge([BEGUN, WHOLE], more)).toMatchObject([
    { source: 'gate', item: 'ack-4.23-a', said: 'both' },
    { source: 'gate', item: 'ack-4.23-b', said: 'no-longer', message: WHOLE },
  ])
  // Of one whose words are not said, another's say nothing.
  expect(judge([WHOLE], more)).toMatchObject([{ item: 'ack-4.23-a', said: 'not-yet' }, { item: 'ack-4.23-b' }])
})

it.each([
  ['acknowledged', { 'ack-4.22-a': 'true', 'ack-4.22-b': 'true', 'ack-4.22-c': 'true' }, 'no-longer'],
  ['acknowledgements that cannot be read', undefined, 'both'],
])('up to 4.22 the texts of several gates stand in one part, and each is a reason: %s', (_, acks, said) => {
  const [a, b, c] = ['ack-4.22-a', 'ack-4.22-b', 'ack-4.22-c'] as const
  const more = { gates: { [a]: 'Read the notes.', [b]: WHOLE, [c]: BEGUN }, acks }
  const items = (...parts: string[]) => judge(parts, more, '4.22.4').map(({ item, message }) => [item, message])
  expect(items(`${WHOLE} Read the notes.`).sort()).toEqual([
    [a, 'Read the notes.'],
    [b, WHOLE],
  ])
  expect(items(WHOLE)).toEqual([[b, WHOLE]])
  expect(judge([`${BEGUN} Read the notes.`], more, '4.22.4')).toMatchObject([{ said }, { said }])
  // A text that changed since is of the one that it still has most of.
  expect(items(`${BEGUN} a`)).toEqual([[c, `${BEGUN} a`]])
})

it.each([
  ['acknowledged', acked, 'no-longer'],
  ['acknowledgements that cannot be read', undefined, 'both'],
])('of two gates with one text both are named, and none that is for another release: %s', (_, acks, said) => {
  const texts = { 'ack-4.22-a': BEGUN, ...gates(BEGUN, BEGUN) }
  const both = ['ack-4.23-a', 'ack-4.23-b'].map((item) => ({ source: 'gate', item, message: BEGUN, said }))
  for (const parts of [[BEGUN, BEGUN], [BEGUN], [BEGUN, 'Other words.']])
    expect(judge(parts, { gates: texts, acks }).filter(({ source }) => source === 'gate')).toMatchObject(both)
  const older = { 'ack-4.22-a': BEGUN, 'ack-4.22-b': BEGUN, 'ack-4.23-a': BEGUN }
  const allAcked = acks && Object.fromEntries(Object.keys(older).map((name) => [name, 'true']))
  const items = judge([`${BEGUN} ${BEGUN}`], { gates: older, acks: allAcked }, '4.22.4').map(({ item }) => item)
  expect(items).toEqual(['ack-4.22-a', 'ack-4.22-b'])
})

it.each([
  ['4.23.1', 'ack-4.23-a', (text: string) => [text, `${DELETED}a`]],
  ['4.23.1', 'ack-4.23-a', (text: string) => [text]],
  ['4.22.4', 'ack-4.22-a', (text: string) => [`Read the notes. ${text}`, `${DELETED}a`]],
])('a gate’s text with bullets is one reason, also once it is acknowledged: %s', (desired, name, parts) => {
  const text = 'Before the update:\n* mirror the signatures\n* look at the notes\n'
  const more = {
    gates: { [name]: text, [`${name}2`]: 'Read the notes.' },
    acks: { [name]: 'true', [`${name}2`]: 'true' },
  }
  const found = judge(parts(text.trim()), more, desired)
  expect(found.filter(({ item }) => item === name)).toMatchObject([
    { source: 'gate', message: text.trim(), said: 'no-longer' },
  ])
  expect(found.filter(({ source }) => source === 'other')).toEqual([])
})

it.each([
  [
    'a text that changed',
    [`${BEGUN} a`, `${BEGUN} b`],
    { gates: { 'ack-4.23-a': BEGUN }, acks: acked },
    'gate',
    `${BEGUN} a\n${BEGUN} b`,
  ],
  ['deletions', [`${DELETED}a`, `${DELETED}b`], {}, 'deletion', `${DELETED}a\n${DELETED}b`],
])('what belongs to one is one reason, with all its words: %s', (_, parts, more, source, message) => {
  expect(judge(parts, more)).toMatchObject([{ source, message }])
})

const skew = { source: 'operator', item: 'machine-config', reason: 'ClusterBootImageSkewError' }
const unheard = { ...skew, said: 'both' }
const of = (name: string, words: string) =>
  `Cluster operator ${name} should not be upgraded between minor or major versions: ${words}`

it('words of boot images are known by themselves, where their operator cannot be read', () => {
  const [blocker, ...none] = judge([SKEW])
  expect(none).toEqual([])
  expect(blocker).toMatchObject({ ...unheard, message: SKEW })
  const context = { next: '5.0', overrides: [], managers: undefined, bootImage: null, bootImages: '/boot-images' }
  expect(explain(blocker!, context).sentence).toMatch(/^Machines may be started from a boot image that is older/)
  expect(judge(['No.', SKEW])).toMatchObject([{ source: 'other', message: 'No.' }, unheard])
  const several = [of('etcd', 'NotYet: No.'), of('machine-config', `${skew.reason}: ${SKEW}`)]
  expect(judge(several, {}, '4.22.4')).toMatchObject([{ item: 'etcd', reason: 'MultipleReasons' }, unheard])
})

it('they are old where it is heard: another of its reasons takes their place, and nobody else’s', () => {
  const says = (status: string, message = 'A pool is degraded.') => {
    const upgradeable = { type: 'Upgradeable', status, reason: 'DegradedPool', message }
    return { operators: [{ name: 'machine-config', upgradeable }] }
  }
  expect(judge([SKEW], says('True'))).toMatchObject([{ ...skew, said: 'no-longer' }])
  expect(judge(['No.', SKEW], says('False'))).toMatchObject([
    { source: 'operator', reason: 'DegradedPool', said: 'not-yet' },
    { source: 'other', message: 'No.', said: 'both' },
  ])
})

it.each([' No.', '  \n No.'])(
  'an operator’s message that begins with a blank is known as what ClusterVersion says: %j',
  (message) => {
    const upgradeable = { type: 'Upgradeable', status: 'False', reason: 'NotYet', message }
    const operators = [{ name: 'etcd', upgradeable }]
    for (const parts of [[of('etcd', message)], [of('etcd', `NotYet: ${message}`), `${DELETED}a`]])
      expect(judge(parts, { operators }, '4.22.4').filter(({ item }) => item === 'etcd')).toMatchObject([
        { source: 'operator', said: 'both' },
      ])
  },
)

it('a gate whose text is like the beginning of other words does not cut them, and an operator that says nothing is quoted with nothing', () => {
  const like = { gates: { 'ack-4.22-a': 'Before:\n* a\n* b' }, acks: { 'ack-4.22-a': 'true' } }
  const said = judge(['Before:\n* a\n* bigger trouble'], like, '4.22.4').map(({ message }) => message)
  expect(said.join(' ')).toContain('bigger trouble')
  expect(judge([of('etcd', '').trim()], {}, '4.22.4')).toMatchObject([
    { source: 'operator', item: 'etcd', message: '' },
  ])
})

it.each([
  ['alone', []],
  ['beside an operator', ['operator']],
])('up to 4.22 what a gate said before its text changed is no reason of its own: %s', (_, more) => {
  const finding = (item: string, message: string) =>
    ({ source: 'gate', item, reason: 'AdminAckRequired', message, since: null }) as const
  const operator = { source: 'operator', item: 'etcd', reason: 'Slow', message: 'It is slow.', since: null } as const
  const others = more.length > 0 ? [operator] : []
  const before = [finding('ack-4.22-a', 'As it was.'), finding('ack-4.22-b', 'The other.'), ...others]
  const acks = { 'ack-4.22-b': 'false' }
  const told = (facts: Partial<UpgradeFacts>) =>
    upgradeability({
      ...{ desired: '4.22.4', history: [{ state: 'Completed', version: '4.22.4' }], overrides: [], operators: [] },
      ...{ conditions: upgradeableConditions(before, '4.22.4'), acks, ...facts },
      gates: { 'ack-4.22-a': 'As it is.', 'ack-4.22-b': 'The other.' },
    }).blockers.map(({ source, item, said }) => [source, item, said])
  expect(told({})).toContainEqual(['other', '', 'no-longer'])
  expect(told({})).toContainEqual(['gate', 'ack-4.22-a', 'not-yet'])
  expect(told({ acks: undefined }).map(([, , said]) => said)).not.toContain('no-longer')
})
