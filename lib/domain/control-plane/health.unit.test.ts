import { describe, expect, test } from 'vitest'
import { COMPONENTS, ETCD_PARTS, planeHealth, unwellWords, type PlaneMachine, type PlaneSaid } from './health'
import { etcdWords, illAmong, illFirst, mayGoWords, noneToSpare, risksOf, unaskedWords, waitsWords } from './words'

const said = (but: Record<string, string> = {}, more: Partial<PlaneSaid> = {}): PlaneSaid => ({
  parts: [...ETCD_PARTS, ...COMPONENTS].map((type) => ({ type, status: but[type] ?? 'True', message: '' })),
  ...{ node: 'ready', hook: true, ...more },
})
const machine = (over: Partial<PlaneMachine> = {}): PlaneMachine => ({
  ...{ name: 'm', joined: true, deleting: false, said: said() },
  ...over,
})
const three = (last: Partial<PlaneMachine> = {}) => [
  machine({ name: 'a' }),
  machine({ name: 'b' }),
  machine({ name: 'c', ...last }),
]

/** Its machines have no member. */
const outside = () => [
  machine({ name: 'e', said: { ...said(), parts: said().parts.filter(({ type }) => !ETCD_PARTS.includes(type)) } }),
]

describe('what is known of a member', () => {
  test.each<[string, Partial<PlaneMachine>, string, string, string | null]>([
    ['well', {}, 'healthy', 'healthy', null],
    ['ill', { said: said({ EtcdMemberHealthy: 'False' }) }, 'ill', 'healthy', 'EtcdMemberHealthy is false'],
    ['its pod', { said: said({ EtcdPodHealthy: 'False' }) }, 'ill', 'healthy', 'EtcdPodHealthy is false'],
    [
      'unknown',
      { said: said({ EtcdMemberHealthy: 'Unknown' }) },
      'unknown',
      'healthy',
      'EtcdMemberHealthy is not known',
    ],
    [
      'another part',
      { said: said({ SchedulerPodHealthy: 'False' }) },
      'healthy',
      'ill',
      'SchedulerPodHealthy is false',
    ],
    [
      'never said',
      { said: { parts: [], node: 'ready', hook: true } },
      'unknown',
      'unknown',
      'EtcdPodHealthy is not known',
    ],
    ['a row from before', { said: null }, 'unknown', 'unknown', 'EtcdPodHealthy is not known'],
    ['its node is not ready', { said: said({}, { node: 'not-ready' }) }, 'unknown', 'healthy', 'its node is not ready'],
    ['joining', { joined: false, said: said({}, { node: 'unknown' }) }, 'joining', 'healthy', null],
    [
      'going',
      { deleting: true, said: said({ EtcdMemberHealthy: 'False' }) },
      'ill',
      'healthy',
      'EtcdMemberHealthy is false',
    ],
    [
      'taken out',
      { deleting: true, said: said({ EtcdMemberHealthy: 'False' }, { hook: false }) },
      'gone',
      'healthy',
      'EtcdMemberHealthy is false',
    ],
  ])('%s', (_, over, member, components, words) => {
    const [found] = planeHealth('managed', [machine(over)]).machines
    expect(found).toEqual({ name: 'm', member, components, words })
  })

  test('who joins, or was taken out, is no member; of an external etcd no condition is missed', () => {
    expect(planeHealth('managed', three({ joined: false }))).toMatchObject({
      members: 2,
      healthy: 2,
      quorum: 2,
      spare: 0,
    })
    expect(planeHealth('managed', three({ deleting: true, said: said({}, { hook: false }) }))).toMatchObject({
      members: 2,
    })
    const parts = said().parts.filter(({ type }) => !ETCD_PARTS.includes(type))
    const [found] = planeHealth('external', [machine({ said: said({}, { parts }) })]).machines
    expect(found!.words).toBeNull()
  })
})

describe('what stands against it', () => {
  const risks = (machines: PlaneMachine[], etcd: 'managed' | 'external' | null = 'managed') => [
    risksOf(planeHealth(etcd, machines), 'in-place', 1),
    risksOf(planeHealth(etcd, machines), 'replace', 1),
  ]

  test('nothing, of three or five that are well, nor where etcd is another’s', () => {
    expect(risks(three())).toEqual([[], []])
    expect(risks([...three(), ...three()].slice(0, 5))).toEqual([[], []])
    expect(risks(outside(), 'external')).toEqual([[], []])
  })

  test.each([
    [1, 'While a machine is updated in place its member may be away: etcd is down then, and with it the API server.'],
    [
      2,
      'While a machine is updated in place its member may be away: etcd has no quorum then, and with it the API server.',
    ],
  ])('of %i in place: the API server stops meanwhile; to replace them is no risk', (n, words) => {
    expect(risks(three().slice(0, n))).toEqual([[words], []])
  })

  test('one of three is ill: said, and that there is no quorum then', () => {
    const [inPlace, replace] = risks(three({ said: said({ EtcdMemberHealthy: 'False' }) }))
    expect(inPlace).toEqual([
      'The etcd member of c is not healthy (EtcdMemberHealthy is false).',
      expect.stringContaining('no quorum'),
    ])
    expect(replace![1]).toContain('While one is replaced, a new one first: etcd has no quorum then')
  })

  test('what is not known counts as ill, and nothing at all does', () => {
    expect(risks(three({ said: null }))[0]).toEqual([
      'Whether the etcd member of c is healthy is not known (EtcdPodHealthy is not known).',
      expect.stringContaining('no quorum'),
    ])
    expect(risks([])).toEqual(Array(2).fill(['Nothing is known of its etcd: that counts as not healthy.']))
    expect(risks(three(), null)[0]).toHaveLength(1)
  })

  test('in sentences', () => {
    expect(etcdWords(planeHealth('managed', three()), 1)).toEqual([
      'etcd has 3 members, all of them healthy: it can lose one of them and go on.',
      'While a machine is updated in place its member may be away: no other may be lost then.',
      'While one is replaced, a new one first: no other may be lost then.',
    ])
    expect(etcdWords(planeHealth('managed', three()), 0, 'in-place')).toEqual([
      'etcd has 3 members, all of them healthy: it can lose one of them and go on.',
      'While a machine is updated in place its member may be away: no other may be lost then.',
    ])
    expect(etcdWords(planeHealth('managed', three()), 0, 'replace').join(' ')).not.toContain('in place')
    expect(etcdWords(planeHealth('managed', three({ said: null })), 0)[0]).toBe(
      'etcd has 3 members, 2 known to be healthy: it can lose none of them.',
    )
    expect(etcdWords(planeHealth('managed', [machine()]), 1)[0]).toBe(
      'etcd has one member, healthy: it must not be lost.',
    )
    expect(etcdWords(planeHealth('external', outside()), 1)[0]).toContain('an external one')
  })

  test('from members on its machines to an external etcd: said first, and asked about', () => {
    const leaves = planeHealth('external', [...three(), ...outside()])
    const words =
      'It would go from members on its machines to an external etcd: what is stored in them does not go along.'
    const stands = 'etcd has 3 members, all of them healthy: it can lose one of them and go on.'
    expect(etcdWords(leaves, 1)).toEqual([words, stands])
    expect(risksOf(leaves, 'replace', 1)).toEqual([words])
    // Its manager looks at no member any more, and would never write that one is well again.
    expect(noneToSpare(leaves)).toBeNull()
  })
})

test('no machine is next while one is ill and none to spare; all of one or two were approved so', () => {
  const ill = { said: said({ EtcdMemberHealthy: 'False' }) }
  const why = (machines: PlaneMachine[], etcd: 'managed' | 'external' | null = 'managed') =>
    noneToSpare(planeHealth(etcd, machines))
  expect([why(three()), why(three().slice(0, 1)), why(three().slice(0, 2)), why(three(ill), 'external')]).toEqual(
    Array(4).fill(null),
  )
  expect(why(three(ill))).toBe('etcd has no member to spare: c (EtcdMemberHealthy is false)')
  expect(why([...three(), ...three(ill)].slice(1))).toBeNull()
  expect(noneToSpare(planeHealth('managed', three(ill)), 'c')).toBeNull()
  // One that joins is no member yet, and one that was taken out none any more: the manager itself waits for both.
  expect(why(three({ joined: false }))).toBeNull()
  expect([why([]), why(three(), null)]).toEqual(Array(2).fill('nothing is known of its etcd'))
})

test('the only ill one goes first, unasked, where it is to be updated, and takes no healthy member away', () => {
  const ill = { said: said({ EtcdMemberHealthy: 'False' }) }
  const of = (machines: PlaneMachine[], old = 'c', etcd: 'managed' | 'external' = 'managed') =>
    illFirst(planeHealth(etcd, machines), (name) => name === old)
  const pods = { said: said({ SchedulerPodHealthy: 'False' }) }
  expect([of(three(ill)), of(three(pods)), of(three(pods), 'c', 'external')].map((one) => one?.name)).toEqual([
    ...['c', 'c', 'c'],
  ])
  const both = [machine({ name: 'b', ...ill }), ...three(ill)]
  expect([of(three()), of(three(ill), 'a'), of(both), of(three({ said: null }))]).toEqual(Array(4).fill(null))
  const health = planeHealth('managed', three(ill))
  const first = of(three(ill))
  expect(unaskedWords(first!)).toBe(
    'c is not healthy: Cluster API deletes it first, at once, and asks nobody about it.',
  )
  expect(etcdWords(health, 0, 'replace', first)[1]).toBe(
    'While c, which goes first, is replaced, the old one first: no other may be lost then.',
  )
  expect(risksOf(health, 'replace', 0, first)).toHaveLength(1)
  expect(risksOf(health, 'replace', 0)).toHaveLength(2)
})

test('which ones that are ill may go next', () => {
  const ill = { said: said({ EtcdMemberHealthy: 'False' }) }
  const joins = machine({ name: 'd', joined: false, said: null })
  const of = (machines: PlaneMachine[], etcd: 'managed' | 'external' = 'managed') =>
    illAmong(planeHealth(etcd, machines), (name) => name !== 'd')
  expect(of([...three(ill), joins])).toEqual(['c'])
  expect([of([...three(ill), joins], 'external'), of([...three(), { ...joins, ...ill }])]).toEqual([[], []])
  expect(mayGoWords(['c'])).toBe(
    'c is not healthy: once all others are well, Cluster API may delete it next, and asks nobody about it.',
  )
  expect(mayGoWords(['b', 'c'])).toMatch(/^b, c are not healthy: once only one of them is not/)
})

test('where a machine is made first everything waits for the ill one; it is deleted only while etcd has a quorum', () => {
  const ill = { said: said({ EtcdMemberHealthy: 'False' }) }
  const words = (machines: PlaneMachine[], etcd: 'managed' | 'external' = 'managed', held = false) => {
    const health = planeHealth(etcd, machines)
    return waitsWords(health.machines.at(-1)!, health, held)
  }
  const first = 'c is not healthy: Cluster API makes a machine first, and waits with that until c is well. '
  expect(words(three(ill))).toBe(`${first}Somebody has to make it well, or delete it.`)
  expect(words(three(ill).slice(1))).toBe(
    `${first}Somebody has to make it well: etcd has no quorum, without which a deletion does not end.`,
  )
  // While it is held its manager takes no member out of etcd.
  expect(words(three(ill), 'managed', true)).toMatch(/make it well or, once it is let go, delete it\.$/)
  expect(words(three(ill).slice(1), 'external')).toMatch(/, or delete it\.$/)
})

test.each<[string, Parameters<typeof unwellWords>[0], string | null]>([
  ['well', { joined: true, said: said() }, null],
  ['of which nothing is said', { joined: true, said: null }, null],
  ['without a node', { joined: false, said: said({ EtcdPodHealthy: 'Unknown' }) }, null],
  ['a condition that nobody wrote', { joined: true, said: said({}, { parts: [] }) }, null],
  [
    'what is False before what is Unknown',
    { joined: true, said: said({ APIServerPodHealthy: 'Unknown', EtcdMemberHealthy: 'False' }) },
    'EtcdMemberHealthy is false',
  ],
  [
    'its node as well',
    { joined: true, said: said({ EtcdPodHealthy: 'Unknown' }, { node: 'not-ready' }) },
    'its node is not ready; EtcdPodHealthy is not known',
  ],
])('what is said not to be well: %s', (_, machine, words) => expect(unwellWords(machine)).toBe(words))
