import { describe, expect, test } from 'vitest'
import { resolve, shareFrom, wavesWords, type PolicySpec } from '.'

describe('waves', () => {
  const group = { cluster: 'm', workloadCluster: 'w', labels: {}, namespace: 'n', kind: 'MachineDeployment', name: 'g' }
  const policy = (name: string, spec: PolicySpec) => ({ id: name, name, version: 1, spec })
  const [few, many] = [[{ name: 'all' }], [{ name: 'a', size: 1 }, { name: 'b' }]]

  test('are those of the most specific policy that says some; none takes back what a wider one says', () => {
    const wide = policy('wide', { select: {}, waves: many })
    expect(resolve([wide], group).waves).toMatchObject({ value: many, policy: { name: 'wide' } })
    const close = (waves: PolicySpec['waves']) => policy('close', { select: { names: ['g'] }, waves })
    expect(resolve([wide, close(few)], group).waves).toMatchObject({ value: few, policy: { name: 'close' } })
    expect(resolve([wide, close('none')], group).waves).toBeNull()
    expect(resolve([wide, close(undefined)], group).waves?.policy?.name).toBe('wide')
  })

  test('of equally specific ones the one with more waves holds, in whatever order', () => {
    const both = [policy('a', { select: {}, waves: few }), policy('b', { select: {}, waves: many })]
    for (const all of [both, both.toReversed()]) expect(resolve(all, group).waves?.policy?.name).toBe('b')
    const none = [policy('a', { select: {}, waves: 'none' }), policy('b', { select: {}, waves: few })]
    expect(resolve(none, group).waves?.policy?.name).toBe('b')
  })

  test('have sizes and words', () => {
    expect([
      shareFrom('3'),
      shareFrom(3),
      shareFrom(' 10% '),
      shareFrom('0'),
      shareFrom('101%'),
      shareFrom(1.5),
    ]).toEqual([...[3, 3, '10%', null, null, null]])
    expect(
      wavesWords([
        { name: 'a', size: 3, soak: '1h' },
        { name: 'b', ownApproval: true },
      ]),
    ).toBe('a (3, then 1h), then b (begun by a person)')
  })
})
