import { expect, test } from 'vitest'
import type { JsonObject } from '../../lib/domain/json'
import { KubeError, type KubeClient, type KubeObject } from '../../lib/kubernetes/types'

const MC = { group: 'operator.openshift.io', version: 'v1', plural: 'machineconfigurations' }
const skew = (stanza: JsonObject | string | null): JsonObject => ({ spec: { bootImageSkewEnforcement: stanza } })
const ocp = (ocpVersion: string | number): JsonObject =>
  skew({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion, rhcosVersion: null } })
const rhcos = (rhcosVersion: string): JsonObject =>
  skew({ mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion, ocpVersion: null } })
const entry = (resource: string, mode: string, more: JsonObject = {}): JsonObject => ({
  resource,
  apiGroup: 'machine.openshift.io',
  selection: { mode, ...more },
})
const managed = (...machineManagers: JsonObject[]): JsonObject => ({ spec: { managedBootImages: { machineManagers } } })
const both = (a: JsonObject, b: JsonObject): JsonObject => ({
  spec: { ...(a.spec as JsonObject), ...(b.spec as JsonObject) },
})
const selector = { partial: { machineResourceSelector: { matchLabels: { a: '1' } } } }

const OCP_FORMAT = 'ocpVersion must match the OCP semver compatible format of x.y.z'
const MANUAL = 'manual is required when mode is Manual, and forbidden otherwise'
const ALL_SETS =
  "when skew enforcement is in Automatic mode, any MachineAPI MachineSet MachineManager must use selection mode 'All'"
const NOT_EMPTY =
  'when skew enforcement is in Automatic mode, managedBootImages.machineManagers must not be an empty list'

type State = 'none' | 'manual' | 'automatic'
const STATUS: Record<State, JsonObject> = {
  none: { mode: 'None', manual: null, automatic: null },
  manual: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0', rhcosVersion: null }, automatic: null },
  automatic: { mode: 'Automatic', automatic: { ocpVersion: '4.16.0', rhcosVersion: null }, manual: null },
}

/** Patch, what is stored before it, what status says, and the answer: 200, or words of the refusal. */
const TABLE: [name: string, patch: JsonObject, stored: JsonObject | null, status: State, answer: 200 | string][] = [
  ['acknowledge OCP', ocp('4.16.0'), null, 'automatic', 200],
  ['acknowledge OCP over RHCOS', ocp('4.16.0'), rhcos('9.6.20251023-0'), 'manual', 200],
  ['acknowledge RHCOS over OCP', rhcos('9.6.20251023-0'), ocp('4.16.0'), 'manual', 200],
  ['acknowledge RHCOS of the older form', rhcos('418.94.202511191518-0'), skew({ mode: 'None' }), 'none', 200],
  [
    'acknowledge without the null sibling',
    skew({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } }),
    rhcos('9.6.20251023-0'),
    'manual',
    'rhcosVersion is required when mode is RHCOSVersion, and forbidden otherwise',
  ],
  [
    'neither version',
    skew({ mode: 'Manual', manual: { mode: 'OCPVersion' } }),
    null,
    'none',
    'ocpVersion is required when mode is OCPVersion, and forbidden otherwise',
  ],
  [
    'neither version over a stored one',
    skew({ mode: 'Manual', manual: { mode: 'OCPVersion' } }),
    ocp('4.16.0'),
    'manual',
    200,
  ],
  ['Manual without manual', skew({ mode: 'Manual' }), null, 'none', MANUAL],
  ['opt out', skew({ mode: 'None', manual: null }), ocp('4.16.0'), 'manual', 200],
  ['opt out without the null sibling', skew({ mode: 'None' }), ocp('4.16.0'), 'manual', MANUAL],
  ['default', skew(null), ocp('4.16.0'), 'manual', 200],
  ['default twice', skew(null), null, 'none', 200],
  ['mode null', skew({ mode: null }), ocp('4.16.0'), 'manual', 'Required value'],
  [
    'Automatic in spec',
    skew({ mode: 'Automatic' }),
    null,
    'none',
    'Unsupported value: "Automatic": supported values: "Manual", "None"',
  ],
  ['stanza as a string', skew('None'), null, 'none', 'must be of type object: "string"'],
  ['version as a number', ocp(4), null, 'none', 'must be of type string'],
  [
    'unknown field',
    skew({ mode: 'None', manual: null, reason: 'x' }),
    null,
    'none',
    'unknown field "spec.bootImageSkewEnforcement.reason"',
  ],
  ...['v4.19.0', '4.19.x', '4.19.0 '].map((v): (typeof TABLE)[number] => [
    `OCP ${v}`,
    ocp(v),
    null,
    'none',
    OCP_FORMAT,
  ]),
  ['OCP 4.19', ocp('4.19'), null, 'none', 'should be at least 5 chars long'],
  ['OCP 4.19.0-rc.1', ocp('4.19.0-rc.1'), null, 'none', 'Too long: may not be more than 10 bytes'],
  ...['0.0.0', '999.9.9', '04.019.00'].map((v): (typeof TABLE)[number] => [`OCP ${v}`, ocp(v), null, 'none', 200]),
  ['RHCOS with a prefix', rhcos('v9.6.20251023-0'), null, 'none', 'rhcosVersion must match format'],
  ['RHCOS too long', rhcos('418.94.202511191518-123'), null, 'none', 'Too long: may not be more than 21 bytes'],
  ['all sets', managed(entry('machinesets', 'All')), null, 'automatic', 200],
  ['no sets', managed(entry('machinesets', 'None')), null, 'manual', 200],
  ['no sets while Automatic', managed(entry('machinesets', 'None')), null, 'automatic', ALL_SETS],
  ['some sets while Automatic', managed(entry('machinesets', 'Partial', selector)), null, 'automatic', ALL_SETS],
  ['an empty list while Automatic', managed(), null, 'automatic', NOT_EMPTY],
  ['an empty list', managed(), null, 'none', 200],
  [
    'both steps in one patch while Automatic',
    both(skew({ mode: 'None' }), managed(entry('machinesets', 'None'))),
    null,
    'automatic',
    ALL_SETS,
  ],
  [
    'the way back in one patch',
    both(skew(null), managed(entry('machinesets', 'All'))),
    both(ocp('4.16.0'), managed(entry('machinesets', 'None'))),
    'manual',
    200,
  ],
  ['control plane only', managed(entry('controlplanemachinesets', 'All')), null, 'automatic', 200],
  [
    'control plane Partial',
    managed(entry('controlplanemachinesets', 'Partial', selector)),
    null,
    'none',
    'Only All or None selection mode is permitted for ControlPlaneMachineSets',
  ],
  [
    'Partial without a selector',
    managed(entry('machinesets', 'Partial')),
    null,
    'none',
    'Partial is required when type is partial, and forbidden otherwise',
  ],
  [
    'All with a selector',
    managed(entry('machinesets', 'All', selector)),
    null,
    'none',
    'Partial is required when type is partial, and forbidden otherwise',
  ],
  ['two entries', managed(entry('machinesets', 'All'), entry('machinesets', 'All')), null, 'none', 'Duplicate value'],
  [
    'another resource',
    managed(entry('machinedeployments', 'All')),
    null,
    'none',
    'Unsupported value: "machinedeployments"',
  ],
  ['spec null', { spec: null }, null, 'none', 'Required value'],
]

/** The same patches must get the same answers, dry or not, from every API server that serves MachineConfiguration. */
export function machineConfigurationSuite(connect: () => Promise<KubeClient>): void {
  const put = async (client: KubeClient, stored: JsonObject | null, status: State): Promise<KubeObject> => {
    const mode = (value: State) =>
      client.patch(
        MC,
        'cluster',
        undefined,
        'merge',
        {
          status: {
            observedGeneration: 1,
            bootImageSkewEnforcementStatus: STATUS[value],
            managedBootImagesStatus: { machineManagers: [entry('machinesets', 'All')] },
          },
        },
        { subresource: 'status' },
      )
    await client.get(MC, 'cluster').catch(() =>
      client.create(MC, {
        apiVersion: 'operator.openshift.io/v1',
        kind: 'MachineConfiguration',
        metadata: { name: 'cluster' },
        spec: {},
      }),
    )
    await mode('none')
    await client.patch(MC, 'cluster', undefined, 'merge', {
      spec: { bootImageSkewEnforcement: null, managedBootImages: null },
    })
    if (stored) await client.patch(MC, 'cluster', undefined, 'merge', stored)
    return mode(status)
  }
  const ask = (client: KubeClient, patch: JsonObject, dryRun: boolean): Promise<KubeObject | KubeError> =>
    client.patch(MC, 'cluster', undefined, 'merge', patch, { dryRun }).catch((error: unknown) => {
      if (error instanceof KubeError) return error
      throw error
    })

  test.each(TABLE)('%s', async (_, patch, stored, status, answer) => {
    const client = await connect()
    const before = await put(client, stored, status)
    const dry = await ask(client, patch, true)
    expect((await client.get(MC, 'cluster')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    const real = await ask(client, patch, false)
    if (answer === 200) {
      expect(real).not.toBeInstanceOf(KubeError)
      expect((dry as KubeObject).spec).toEqual((real as KubeObject).spec)
      return
    }
    for (const refused of [dry, real]) {
      expect(refused).toBeInstanceOf(KubeError)
      expect(refused).toMatchObject({ code: 422, message: expect.stringContaining(answer) as string })
    }
  })

  test('a patch for another resourceVersion is a conflict, and one that changes nothing leaves the version', async () => {
    const client = await connect()
    const before = await put(client, null, 'none')
    const bound = (resourceVersion: string) => ({ metadata: { resourceVersion }, ...ocp('4.16.0') })
    const first = await client.patch(MC, 'cluster', undefined, 'merge', bound(before.metadata.resourceVersion))
    expect(first.metadata.generation).toBe((before.metadata.generation ?? 0) + 1)
    expect(await ask(client, bound(before.metadata.resourceVersion), false)).toMatchObject({ code: 409 })
    const again = await client.patch(MC, 'cluster', undefined, 'merge', bound(first.metadata.resourceVersion))
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
  })
}
