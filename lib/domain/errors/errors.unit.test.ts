import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { CATALOGUE } from './catalogue'
import { EXAMPLES } from './testing'
import { claims, explain, explanation, explanationOf, providersOf } from './explain'
import { normalise, unknownError, unknownKey } from './normalise'
import { filled, found, searched, template } from './template'
import type { ErrorFacts } from './types'

const facts = (more: Partial<ErrorFacts> = {}): ErrorFacts => ({
  ...{ api: 'cluster.x-k8s.io', infrastructure: 'DevMachine', condition: null, reason: null, message: '' },
  ...more,
})
const templatesOf = (message: string | readonly string[] | undefined) => [message ?? []].flat()

describe('the catalogue', () => {
  it('has each id once, and for each entry an example', () => {
    const ids = CATALOGUE.map((entry) => entry.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(60)
    expect([...new Set(EXAMPLES.map(([id]) => id))].sort()).toEqual([...ids].sort())
  })

  it.each([...EXAMPLES])('%s', (id, example, words) => {
    const answer = explain(example)
    expect(answer?.entry.id).toBe(id)
    if (words) expect(answer?.words).toBe(words)
    // Nothing that was not found is left in the words.
    expect(answer?.words).not.toMatch(/[{}|]/)
  })

  it.each([...EXAMPLES])('%s is claimed by no other entry as much', (_, example) => {
    const [best, next] = claims(example)
    if (next) expect(next.weight).not.toEqual(best!.weight)
  })

  it.each(CATALOGUE)('$id can be read: short words without a full stop, sentences with one, and a source', (entry) => {
    expect(entry.short).toMatch(/^[^.].*[^.]$/)
    expect(entry.short.length).toBeLessThanOrEqual(90)
    for (const text of [entry.cause, entry.step]) expect(text).toMatch(/^\S.*[.?]$/)
    expect(entry.source).toMatch(/[a-z]/)
    if (entry.lasts !== 'terminal') expect(entry.lasts.normally).not.toBe('')
    expect(entry.condition ?? entry.reason ?? entry.message).toBeDefined()
    // Names in the words come from a template, or have something in their place.
    const inWords = [...entry.short.matchAll(/\{([a-z]+)(\|)?/g)]
    for (const [, name, otherwise] of inWords)
      if (!otherwise) for (const t of templatesOf(entry.message)) expect(t).toContain(`{${name}}`)
  })
})

describe('the most specific entry', () => {
  it('is the one whose message fits, before one whose reason does', () => {
    const failed = facts({ condition: 'Updating', reason: 'InPlaceUpdateFailed', message: 'whatever' })
    expect(explain(failed)?.entry.id).toBe('in-place-failed')
    expect(
      explain({ ...failed, message: 'UpdateMachine hook failed: please check controller logs for errors' })?.entry.id,
    ).toBe('in-place-hook-failed')
  })

  it('of an updater that failed or hung, that Cluster API calls it again', () => {
    const message = 'UpdateMachine hook failed: please check controller logs for errors'
    const found = explain(facts({ condition: 'Updating', reason: 'InPlaceUpdateFailed', message }))
    expect(explanationOf(found!)).toMatchObject({
      terminal: false,
      normally: expect.stringContaining('calls again') as string,
    })
  })

  it('is only one of the machine’s own provider', () => {
    const message = 'api error VcpuLimitExceeded: no'
    expect(explain(facts({ infrastructure: 'AWSMachine', message }))?.entry.id).toBe('aws-vcpu-limit')
    expect(explain(facts({ infrastructure: 'AzureMachine', message }))).toBeNull()
    expect(explain(facts({ infrastructure: null, message }))).toBeNull()
  })

  it('is found by a reason that a summary of conditions names, but not where another condition is meant', () => {
    const ready = facts({ infrastructure: 'VSphereMachine', condition: 'Ready', reason: 'NotReady' })
    const said = (message: string) => explain({ ...ready, message })?.entry.id
    expect(said('* InfrastructureReady:\n  * VirtualMachineProvisioned: TaskFailed')).toBe('vsphere-task')
    expect(said('* VirtualMachineProvisioned: TaskFailed to say why')).toBeUndefined()
    expect(said('VirtualMachineProvisioned: TaskFailed')).toBeUndefined()
    const summary = {
      ...ready,
      condition: 'InfrastructureReady',
      message: '* VirtualMachineProvisioned: InternalError',
    }
    expect(explain(summary)).toBeNull()
    expect(explain({ ...summary, reason: 'InternalError' })?.entry.id).toBe('infrastructure-internal-error')
  })

  it.each([
    ['cluster.x-k8s.io', 'AWSMachine', ['cluster-api', 'aws']],
    ['machine.openshift.io', 'VSphereMachineProviderSpec', ['machine-api', 'vsphere']],
    ['machine.openshift.io', 'OpenstackProviderSpec', ['machine-api', 'openstack']],
    ['machine.openshift.io', 'BareMetalMachineProviderSpec', ['machine-api', 'metal3']],
    ['cluster.x-k8s.io', 'IonosCloudMachine', ['cluster-api']],
    ['cluster.x-k8s.io', null, ['cluster-api']],
  ])('%s with %s is of %j', (api, infrastructure, providers) =>
    expect(providersOf({ api, infrastructure })).toEqual(providers),
  )
})

describe('what nobody knows', () => {
  it.each([
    facts(),
    facts({ message: 'the flux capacitor is empty' }),
    facts({ condition: 'InfrastructureReady', reason: 'Odd', message: 'Pod: cannot' }),
    facts({ condition: 'Deleting', reason: 'SomethingNew', message: 'draining' }),
    facts({ api: 'machine.openshift.io', infrastructure: 'AWSMachineProviderConfig', message: 'no' }),
  ])('is null: %j', (unknown) => expect(explain(unknown)).toBeNull())

  it('is null for any text, and never an exception', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '{pod}', '(', '\\', '$&'))
    fc.assert(
      fc.property(
        fc.record({ condition: fc.option(anyText), reason: fc.option(anyText), message: anyText }),
        (given) => {
          expect(explain(facts(given))).toBeNull()
        },
      ),
    )
  })

  it('an id of another version explains nothing', () => {
    expect(explanation('of-a-later-version', 'words')).toBeNull()
    expect(explanation(null, null)).toBeNull()
    expect(explanation('drain-budget', 'as it was said')).toMatchObject({
      words: 'as it was said',
      terminal: false,
      normally: '10 minutes',
    })
    expect(explanationOf(explain(facts({ condition: 'NeverJoined' }))!)).toMatchObject({
      terminal: true,
      normally: null,
    })
  })
})

describe('messages of strangers', () => {
  const patterns = CATALOGUE.flatMap((entry) => templatesOf(entry.message)).map(
    (text) => [text, template(text)] as const,
  )

  it.each(patterns)('“%s” is searched in linear time: nothing in it repeats without a bound', (_, { pattern }) => {
    const source = pattern.source.replace(/\\./g, '').replace(/\[[^\]]*\]/g, 'c')
    expect(source.replaceAll('c{1,253}?', 'N')).not.toMatch(/[*+{]/)
    // Each name ends at a letter that it cannot contain, or at a word of ours.
    expect(source).not.toMatch(/N\)\(N/)
  })

  it('only the beginning of a huge message is looked at, and the right entry is found in it', () => {
    const huge = 'Pod Pods cannot evict '.repeat(100_000)
    expect(searched(huge).text.length).toBeLessThanOrEqual(8_192)
    const message = `Pod a/b: cannot evict pod as it would violate the pod's disruption budget. ${huge}`
    expect(explain(facts({ condition: 'Deleting', message }))?.words).toBe('a disruption budget keeps a/b on its node')
    expect(explain(facts({ condition: 'Deleting', message: huge }))).toBeNull()
  })

  it('letters that mean something to patterns or to words mean nothing here', () => {
    const odd = template('a (b) {name} [c]?')
    expect(found(odd, searched('x a (b) $& [c]? y'))).toEqual({ name: '$&' })
    expect(filled('it is {name}', { name: '$&{name}' })).toBe('it is $&{name}')
    expect(filled('{constructor}', {})).toBe('constructor')
  })

  it('a name that is the last word ends with it', () => {
    expect(found(template('alarms: {alarm}'), searched('Etcd reports alarms: NOSPACE, CORRUPT'))).toEqual({
      alarm: 'NOSPACE',
    })
  })
})

describe('how unknown errors are counted', () => {
  test.each([
    ['instance i-0abc12 has no volume "data-7"', 'instance # has no volume "…"'],
    [
      'w-abc: failed at 2026-11-21T05:24:15Z (3 times), see https://x.example/a?token=b',
      '…: failed at # (# times), see <address>',
    ],
    ['no\n  such   flavour', 'no such flavour'],
  ])('%s', (message, expected) => expect(normalise(message, ['w-abc', null, 'x'])).toBe(expected))

  it('is the same for machines that differ in name, id and number, and another for another reason', () => {
    const key = (name: string, reason: string) =>
      unknownKey(
        unknownError(
          facts({ reason, message: `${name}: disk /dev/sd${name.length} of 10.0.0.${name.length} is gone` }),
          [name],
        ),
      )
    expect(key('workers-abcd', 'X')).toBe(key('other-machine-xyz', 'X'))
    expect(key('workers-abcd', 'X')).not.toBe(key('workers-abcd', 'Y'))
  })

  it('keeps no credential, and little of much', () => {
    const token = ['abcdef', '0123456789abcdef'].join('.')
    const { example, message } = unknownError(
      facts({ message: `join with ${token} at https://a/b?X-Sig=zzz failed ${'x'.repeat(9_000)}` }),
      [],
    )
    expect(example).not.toMatch(/0123456789abcdef|zzz/)
    expect(example.length).toBeLessThanOrEqual(2_000)
    expect(message.length).toBeLessThanOrEqual(500)
  })
})
