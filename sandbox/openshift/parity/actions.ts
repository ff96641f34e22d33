import type { Json, JsonObject } from '../../../lib/domain/json'
import * as b from './bodies'

export interface Action {
  name: string
  patch: Json
  /** Of the status subresource. */
  status?: true
  /** Only in these states; in every one without. */
  only?: string[]
}

const { skew, managed, managers, manual, both, sets, planes, entry } = b
const other = { resource: 'machinesets', apiGroup: 'cluster.x-k8s.io', selection: { mode: 'All' } }

const SKEW: [string, Json][] = [
  ['acknowledge by OCP', b.ackOcp()],
  ['acknowledge by RHCOS', b.ackRhcos()],
  ['acknowledge by OCP, no null beside', skew(b.byOcp())],
  ['acknowledge by RHCOS, no null beside', skew(b.byRhcos())],
  ['no version, mode OCP', skew(manual({ mode: 'OCPVersion' }))],
  ['no version, mode RHCOS', skew(manual({ mode: 'RHCOSVersion' }))],
  ['manual is {}', skew(manual({}))],
  ['Manual without manual', skew({ mode: 'Manual' })],
  ['manual without mode', skew({ manual: { mode: 'OCPVersion', ocpVersion: b.OCP } })],
  ['stanza is {}', skew({})],
  ['opt out', b.optOut],
  ['opt out, no null beside', skew({ mode: 'None' })],
  ['opt out with a version', skew({ mode: 'None', manual: { mode: 'OCPVersion', ocpVersion: b.OCP } })],
  ['default', skew(null)],
  ['unknown field beside', skew({ mode: 'None', manual: null, reason: 'x' })],
  ['unknown field in manual', skew(manual({ mode: 'OCPVersion', ocpVersion: b.OCP, rhcosVersion: null, by: 'x' }))],
  ['two unknown fields', skew({ mode: 'None', manual: null, reason: 'x', until: 'y' })],
]

const MANAGED: [string, Json][] = [
  ['sets All', managers(sets('All'))],
  ['sets None', managers(sets('None'))],
  ['sets Partial', managers(sets('Partial', b.labelled))],
  ['sets Partial, empty selector', managers(sets('Partial', b.selecting({})))],
  ['sets Partial, no partial', managers(sets('Partial'))],
  ['sets Partial, partial null', managers(sets('Partial', { partial: null }))],
  ['sets None with partial', managers(sets('None', b.labelled))],
  [
    'selector operator unknown',
    managers(sets('Partial', b.selecting({ matchExpressions: [{ key: 'a', operator: 'Bogus', values: ['b'] }] }))),
  ],
  ['selector label is null', managers(sets('Partial', b.selecting({ matchLabels: { a: null } })))],
  ['selector unknown field', managers(sets('Partial', b.selecting({ matchNames: ['a'] })))],
  ['managers []', managers()],
  ['managers null', managed({ machineManagers: null })],
  ['managed null', managed(null)],
  ['managed {}', managed({})],
  ['planes All', managers(planes('All'))],
  ['planes None', managers(planes('None'))],
  ['sets All, planes All', managers(sets('All'), planes('All'))],
  ['sets All, planes None', managers(sets('All'), planes('None'))],
  ['sets None, planes All', managers(sets('None'), planes('All'))],
  ['unknown field in an entry', managers({ ...sets('All'), name: 'x' })],
  ['unknown field in selection', managers(sets('All', { names: ['x'] }))],
]

const BOTH: [string, Json][] = [
  ['acknowledge, sets None', both(b.ackOcp(), managers(sets('None')))],
  ['acknowledge, sets Partial', both(b.ackRhcos(), managers(sets('Partial', b.labelled)))],
  ['acknowledge, managers []', both(b.ackOcp(), managers())],
  ['opt out, sets None', both(b.optOut, managers(sets('None')))],
  ['opt out, managers []', both(b.optOut, managers())],
  ['acknowledge, sets All', both(b.ackOcp(), managers(sets('All')))],
  ['default, sets All', both(skew(null), managers(sets('All')))],
  ['default, managed null', both(skew(null), managed(null))],
  ['default, sets None', both(skew(null), managers(sets('None')))],
  ['default, sets Partial', both(skew(null), managers(sets('Partial', b.labelled)))],
  ['two things wrong', both(skew({ mode: 'None', manual: { mode: 'OCPVersion' } }), managers(sets('Partial')))],
]

const OTHER: [string, Json][] = [
  ['nothing', {}],
  ['spec {}', { spec: {} }],
  ['unknown field of spec', { spec: { skewEnforcement: 'x' } }],
  ['unknown field of all', { spek: {} }],
  ['log level', { spec: { logLevel: 'Debug' } }],
  ['log level null', { spec: { logLevel: null } }],
  ['managed', { spec: { managementState: 'Managed' } }],
  ['revision limit', { spec: { failedRevisionLimit: 3 } }],
  ['overrides', { spec: { unsupportedConfigOverrides: { a: [1] } } }],
  ['status with it', { ...b.ackOcp(), status: { bootImageSkewEnforcementStatus: { mode: 'None' } } }],
  ['only status', { status: { bootImageSkewEnforcementStatus: { mode: 'None' } } }],
  ['status is a text', { status: 'x' }],
  ['label', { metadata: { labels: { a: 'b' } } }],
]

/** One of each kind. */
export const SOME = [
  ...['nothing / unset', 'nothing / []', 'Automatic / All', 'Automatic, None asked / unset'],
  ...['Manual by OCP / None', 'Manual by RHCOS / All', 'None / Partial'],
]

/** What no state makes right: asked in some of them. */
const WRONG: [string, Json][] = [
  ['OCP and RHCOS, mode OCP', skew(manual({ mode: 'OCPVersion', ocpVersion: b.OCP, rhcosVersion: b.RHCOS }))],
  ['OCP and RHCOS, mode RHCOS', skew(manual({ mode: 'RHCOSVersion', ocpVersion: b.OCP, rhcosVersion: b.RHCOS }))],
  ['versions null', skew(manual({ mode: 'OCPVersion', ocpVersion: null, rhcosVersion: null }))],
  ['manual is null', skew(manual(null))],
  ['manual.mode is unknown', skew(manual({ mode: 'Version', ocpVersion: b.OCP }))],
  ['manual.mode is null', skew(manual({ mode: null, ocpVersion: b.OCP }))],
  ['mode is null', skew({ mode: null })],
  ['mode and manual are null', skew({ mode: null, manual: null })],
  ['mode is Automatic', skew({ mode: 'Automatic' })],
  ['mode is Automatic with a record', skew({ mode: 'Automatic', automatic: { ocpVersion: b.OCP } })],
  ['mode is none', skew({ mode: 'none' })],
  ['mode is empty', skew({ mode: '' })],
  ['mode is a number', skew({ mode: 1 })],
  ['stanza is a text', skew('None')],
  ['stanza is a list', skew(['None'])],
  ['stanza is true', skew(true)],
  ['manual is a text', skew(manual(b.OCP))],
  ['version is a whole number', b.ackOcp(4)],
  ['version is a number', b.ackOcp(4.16)],
  ['version is true', b.ackRhcos(true)],
  ['version is a list', b.ackOcp([b.OCP])],
  ['version is an object', b.ackOcp({ version: b.OCP })],
  ['sets Partial, selector null', managers(sets('Partial', b.selecting(null)))],
  ['sets Partial, partial {}', managers(sets('Partial', { partial: {} }))],
  ['sets All with partial', managers(sets('All', b.labelled))],
  [
    'selector without operator',
    managers(sets('Partial', b.selecting({ matchExpressions: [{ key: 'a', values: ['b'] }] }))),
  ],
  ['selector label is a number', managers(sets('Partial', b.selecting({ matchLabels: { a: 1 } })))],
  ['managers {}', managed({ machineManagers: {} })],
  ['managed is a list', managed([])],
  ['managed is a text', managed('All')],
  ['planes Partial', managers(planes('Partial', b.labelled))],
  ['planes Partial, no partial', managers(planes('Partial'))],
  ['sets All, planes Partial', managers(sets('All'), planes('Partial', b.labelled))],
  ['sets twice', managers(sets('All'), sets('All'))],
  ['sets twice, All and None', managers(sets('All'), sets('None'))],
  ['six entries', managers(...Array.from({ length: 6 }, () => sets('All')))],
  ['another resource', managers(entry('machinedeployments', 'All'))],
  ['another group', managers(other)],
  ['another resource and group', managers({ ...other, resource: 'machinedeployments' })],
  ['mode unknown', managers(sets('Custom'))],
  ['mode null', managers(sets(null))],
  ['no selection', managers({ resource: 'machinesets', apiGroup: 'machine.openshift.io' })],
  ['no resource', managers({ apiGroup: 'machine.openshift.io', selection: { mode: 'All' } })],
  ['no group', managers({ resource: 'machinesets', selection: { mode: 'All' } })],
  ['entry {}', managers({})],
  ['entry null', managers(null)],
  ['entry is a text', managers('machinesets')],
  ['schema and rule wrong', both(skew({ mode: 'Never' }), managers(sets('Partial')))],
  ['two texts too long', both(b.ackOcp('4.16.0-rc.12'), managers(entry('sets', 'All')))],
  ['spec null', { spec: null }],
  ['spec is a text', { spec: 'x' }],
  ['spec is a list', { spec: [] }],
  ['log level unknown', { spec: { logLevel: 'Loud' } }],
  ['managed by nobody', { spec: { managementState: 'Nobody' } }],
  ['revision limit is half', { spec: { failedRevisionLimit: 3.5 } }],
  ['revision limit is a text', { spec: { failedRevisionLimit: '3' } }],
  ['overrides are a text', { spec: { unsupportedConfigOverrides: 'a' } }],
  ['label is bad', { metadata: { labels: { a: 'b c' } } }],
  ['another name', { metadata: { name: 'other' }, ...b.ackOcp() }],
  ['another kind', { kind: 'MachineConfig', ...b.ackOcp() }],
  ['another version', { apiVersion: 'operator.openshift.io/v2', ...b.ackOcp() }],
  ['unknown field of metadata', { metadata: { colour: 'red' } }],
  ['mode is a list', skew({ mode: ['None'] })],
  ['mode is an object', skew({ mode: { is: 'None' } })],
  ['mode is true', skew({ mode: true })],
  ['sets and planes twice', managers(sets('All'), sets('All'), sets('None'), planes('All'), planes('All'))],
  ['revision limit too big', { spec: { failedRevisionLimit: 3_000_000_000 } }],
  ['label is a number', { metadata: { labels: { a: 1 } } }],
  ['label key is bad', { metadata: { labels: { 'a b': 'c' } } }],
  ['annotation key is bad', { metadata: { annotations: { 'a b': 'c' } } }],
  ['labels are a text', { metadata: { labels: 'a' } }],
  ['metadata is a text', { metadata: 'a' }],
  ['kind is null', { kind: null, ...b.ackOcp() }],
  ['version of the API is null', { apiVersion: null, ...b.ackOcp() }],
  ['the whole is a number', 7],
  ['the whole is true', true],
  ['the whole is a list', []],
  ['the whole is a text', 'spec'],
  ['the whole is null', null],
]

const says = (bootImageSkewEnforcementStatus: Json, more: JsonObject = {}): JsonObject => ({
  status: { bootImageSkewEnforcementStatus, ...more },
})
const automatic = (value: Json) => ({ mode: 'Automatic', automatic: value, manual: null })
const record = (...keys: ('ocpVersion' | 'rhcosVersion')[]) =>
  automatic({
    ocpVersion: keys.includes('ocpVersion') ? '4.19.0' : null,
    rhcosVersion: keys.includes('rhcosVersion') ? b.RHCOS : null,
  })
const listed = (value: Json): JsonObject => ({ managedBootImagesStatus: value })
const all = listed(b.list(sets('All')))

const condition = {
  ...{ type: 'BootImageUpdateDegraded', status: 'False', reason: 'Reconciled', message: '' },
  lastTransitionTime: '2026-01-01T00:00:00Z',
}

const STATUS: [string, Json][] = [
  ['status Automatic by OCP', says(record('ocpVersion'), all)],
  ['status Automatic by RHCOS', says(record('rhcosVersion'), all)],
  ['status Automatic by both', says(record('ocpVersion', 'rhcosVersion'), all)],
  ['status Automatic by none', says(record(), all)],
  ['status Automatic 0.0.0', says(automatic({ ocpVersion: '0.0.0', rhcosVersion: null }), all)],
  ['status Automatic, bad version', says(automatic({ ocpVersion: '4.19.x', rhcosVersion: null }), all)],
  ['status Automatic, short version', says(automatic({ ocpVersion: '4.1', rhcosVersion: null }), all)],
  ['status Automatic, record null', says(automatic(null), all)],
  ['status Automatic, no record', says({ mode: 'Automatic' }, all)],
  ['status Automatic, list []', says(record('ocpVersion'), listed(b.list()))],
  ['status Automatic, list None', says(record('ocpVersion'), listed(b.list(sets('None'))))],
  ['status Automatic, list planes', says(record('ocpVersion'), listed(b.list(planes('All'))))],
  ['status Automatic, list {}', says(record('ocpVersion'), listed({ machineManagers: null }))],
  ['status Automatic, no list', says(record('ocpVersion'), listed(null))],
  ['status Automatic, list with planes', says(record('ocpVersion'), listed(b.list(planes('None'), sets('All'))))],
  ['status Manual', says({ ...b.byOcp(), automatic: null })],
  ['status Manual, record left', says(b.byOcp())],
  ['status Manual, both versions', says(manual({ mode: 'OCPVersion', ocpVersion: b.OCP, rhcosVersion: b.RHCOS }))],
  ['status None', says({ mode: 'None', manual: null, automatic: null })],
  ['status None, rest left', says({ mode: 'None' })],
  ['status null', says(null)],
  ['status mode unknown', says({ mode: 'Never' })],
  ['status list null', { status: { managedBootImagesStatus: null } }],
  ['status list {}', { status: { managedBootImagesStatus: { machineManagers: null } } }],
  ['status list None', { status: listed(b.list(sets('None'))) }],
  ['status list Partial, no partial', { status: listed(b.list(sets('Partial'))) }],
  ['status observed', { status: { observedGeneration: 7 } }],
  ['status with spec', { ...b.ackOcp(), status: { observedGeneration: 8 } }],
  ['status unknown field', { status: { ready: true } }],
  ['status unknown field of spec', { spec: { ready: true }, status: { observedGeneration: 8 } }],
  ['status with a bad spec', { spec: 'x', status: { observedGeneration: 8 } }],
  ['status without spec', { spec: null, status: { observedGeneration: 8 } }],
  ['status is a text there', { status: 'x' }],
  ['status is a list', { status: [] }],
  ['status observed is a text', { status: { observedGeneration: 'x' } }],
  ['status with a label', { metadata: { labels: { a: 'b' } }, status: { observedGeneration: 8 } }],
  ['status of another version', { apiVersion: 'operator.openshift.io/v2', status: { observedGeneration: 8 } }],
  ['status of another kind', { kind: 'MachineConfig', status: { observedGeneration: 8 } }],
  ['status condition, bad state', { status: { conditions: [{ ...condition, status: 'Maybe' }] } }],
  ['status condition, bad moment', { status: { conditions: [{ ...condition, lastTransitionTime: 'now' }] } }],
  ['status condition, no type', { status: { conditions: [{ ...condition, type: '' }] } }],
  ['status condition, bad reason', { status: { conditions: [{ ...condition, reason: '1 2' }] } }],
  ['status condition, empty reason', { status: { conditions: [{ ...condition, reason: '' }] } }],
  ['status condition twice', { status: { conditions: [condition, condition] } }],
  ['status condition, negative', { status: { conditions: [{ ...condition, observedGeneration: -1 }] } }],
  ['status condition', { status: { conditions: [condition] } }],
  ['status gone', { status: null }],
  ['status condition without reason', { status: { conditions: [{ type: 'A', status: 'False' }] } }],
]

const OCP_VERSIONS = [
  ...['4.19.0', '4.1.1', '0.0.0', '999.9.9', '04.019.00', '4.19.12345', '4.99.0', '4.100.1234'],
  ...['v4.19.0', 'v4.19', '4.19', '4.1', '', '4', '4.19.x', '4.19.0 ', ' 4.19.0', '4.19.0\n', '4.19.0.0', '4..19.0'],
  ...[
    '4.19.0-rc.1',
    '4.100.12345',
    '４.１９.０',
    '4.19.０',
    '4,19,0',
    '-4.19.0',
    '4.19.+1',
    '1e3.0.0',
    '"4.1.9"',
    '<4.19>',
  ],
]
const RHCOS_VERSIONS = [
  ...['9.6.20251023-0', '9.6.20251023-10', '418.94.202511191518-0', '9.6.202510231200-0', '9.6.99999999-0'],
  ...['0.0.00000000-0', '410.84.202201251210-0', '418.94.202511191518-12', '10.2.20260101-0'],
  ...['v9.6.20251023-0', 'rhcos-9.6.20251023-0', '9.6.20251023-0 ', ' 9.6.20251023-0', '9.6.20251023', '9.6.2025102-0'],
  ...['', '4.19.0', '418.94.202511191518-123', '418.94.2025111915180-0', '9.6.20251023-x', '9.6.2025102３-0'],
]

const named = (rows: [string, Json][], more: Omit<Action, 'name' | 'patch'> = {}): Action[] =>
  rows.map(([name, patch]) => ({ name, patch, ...more }))

/** Every write of one step. The names of those of the status subresource begin with "status". */
export const ACTIONS: Action[] = [
  ...named([...SKEW, ...MANAGED, ...BOTH, ...OTHER]),
  ...named(
    [
      ...WRONG,
      ...OCP_VERSIONS.map((v): [string, Json] => [`OCP ${JSON.stringify(v)}`, b.ackOcp(v)]),
      ...RHCOS_VERSIONS.map((v): [string, Json] => [`RHCOS ${JSON.stringify(v)}`, b.ackRhcos(v)]),
    ],
    { only: SOME },
  ),
  ...named(STATUS, { status: true }),
]
