import type { JsonObject } from '../../lib/domain/json'
import type { Validator } from '../apiserver/resources'
import type { Schema } from '../apiserver/schema'
import type { Cause } from '../apiserver/status'

const string: Schema = { type: 'string' }
const text = (minLength: number, maxLength: number): Schema => ({ type: 'string', minLength, maxLength })
const choice = (...values: string[]): Schema => ({ type: 'string', enum: values })
const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  ...(required.length && { required }),
})

const versions = { ocpVersion: text(5, 10), rhcosVersion: text(14, 21) }
const manual = object({ mode: choice('OCPVersion', 'RHCOSVersion'), ...versions }, 'mode')

const selector: Schema = {
  ...object({
    matchLabels: { type: 'object', additionalProperties: string },
    matchExpressions: {
      type: 'array',
      items: object({ key: string, operator: string, values: { type: 'array', items: string } }, 'key', 'operator'),
    },
  }),
  'x-kubernetes-map-type': 'atomic',
}

/** Which releases serve it so: 4.22 and later, 4.19 to 4.21, or before. */
export type ConfigurationForm = 'with-skew' | 'without-skew' | '4.18'
const hasSkew = (form: ConfigurationForm) => form === 'with-skew'

const managed = (form: ConfigurationForm) =>
  object({
    machineManagers: {
      type: 'array',
      ...(form !== '4.18' && { maxItems: 5 }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['resource', 'apiGroup'],
      items: object(
        {
          resource: choice('machinesets', ...(hasSkew(form) ? ['controlplanemachinesets'] : [])),
          apiGroup: choice('machine.openshift.io'),
          selection: object(
            {
              mode: choice('All', 'Partial', ...(form === '4.18' ? [] : ['None'])),
              partial: object({ machineResourceSelector: selector }, 'machineResourceSelector'),
            },
            'mode',
          ),
        },
        'apiGroup',
        'resource',
        'selection',
      ),
    },
  })

const level: Schema = { ...choice('', 'Normal', 'Debug', 'Trace', 'TraceAll'), default: 'Normal' }
const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** As Kubernetes' own conditions: a label's key. */
const CONDITION_TYPE =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'

const conditions: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: object(
    {
      type: { type: 'string', maxLength: 316, pattern: CONDITION_TYPE },
      status: choice('True', 'False', 'Unknown'),
      reason: { ...text(1, 1024), pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
      message: { type: 'string', maxLength: 32768 },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
    },
    'lastTransitionTime',
    'message',
    'reason',
    'status',
    'type',
  ),
}

const spec = (form: ConfigurationForm) =>
  object({
    managementState: { type: 'string', pattern: '^(Managed|Unmanaged|Force|Removed)$' },
    logLevel: level,
    operatorLogLevel: level,
    failedRevisionLimit: { type: 'integer', format: 'int32' },
    succeededRevisionLimit: { type: 'integer', format: 'int32' },
    forceRedeploymentReason: string,
    managedBootImages: managed(form),
    nodeDisruptionPolicy: anything,
    observedConfig: { ...anything, nullable: true },
    unsupportedConfigOverrides: { ...anything, nullable: true },
    ...(hasSkew(form) && { bootImageSkewEnforcement: object({ mode: choice('Manual', 'None'), manual }, 'mode') }),
  })

const status = (form: ConfigurationForm) =>
  object({
    observedGeneration: { type: 'integer', format: 'int64' },
    conditions,
    ...(form !== '4.18' && { managedBootImagesStatus: managed(form) }),
    nodeDisruptionPolicyStatus: anything,
    ...(hasSkew(form) && {
      bootImageSkewEnforcementStatus: object(
        {
          mode: choice('Automatic', 'Manual', 'None'),
          manual,
          automatic: { ...object(versions), minProperties: 1 },
        },
        'mode',
      ),
    }),
  })

/** MachineConfiguration as OpenShift 4.22 serves it; as 4.21 does, which does not know boot image skew; or as 4.18 does, whose operator does not say what it manages. */
export const machineConfigurationSchema = (form: ConfigurationForm): Schema =>
  object({ spec: spec(form), status: status(form) }, 'spec')

const OCP = /^[0-9]+\.[0-9]+\.[0-9]+$/
const RHCOS = /^[0-9]+\.[0-9]+\.([0-9]{8}|[0-9]{12})-[0-9]+$/
const RHCOS_TEXT =
  'rhcosVersion must match format [major].[minor].[datestamp(YYYYMMDD)]-[buildnumber] or must match legacy format [major].[minor].[timestamp(YYYYMMDDHHmm)]-[buildnumber]'

type Loose = { [key: string]: Loose | undefined }
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (here, key) => (here !== null && typeof here === 'object' ? (here as Loose)[key] : undefined),
    value,
  )

const bad = (field: string, message: string, value?: string): Cause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${value === undefined ? '' : `${JSON.stringify(value)}: `}${message}`,
})

const onlyWith = (causes: Cause[], field: string, there: boolean, wanted: boolean, what: string) => {
  if (there !== wanted) causes.push(bad(field, `${what}, and forbidden otherwise`))
}

function versionRules(value: unknown, field: string): Cause[] {
  const causes: Cause[] = []
  const [ocp, rhcos] = [at(value, 'ocpVersion'), at(value, 'rhcosVersion')]
  if (typeof ocp === 'string' && !OCP.test(ocp))
    causes.push(bad(`${field}.ocpVersion`, 'ocpVersion must match the OCP semver compatible format of x.y.z', ocp))
  if (typeof rhcos === 'string' && !RHCOS.test(rhcos)) causes.push(bad(`${field}.rhcosVersion`, RHCOS_TEXT, rhcos))
  return causes
}

function manualRules(value: unknown, field: string): Cause[] {
  if (value === undefined) return []
  const causes: Cause[] = []
  const mode = at(value, 'mode')
  const has = (key: string) => at(value, key) !== undefined
  onlyWith(causes, field, has('ocpVersion'), mode === 'OCPVersion', 'ocpVersion is required when mode is OCPVersion')
  onlyWith(
    causes,
    field,
    has('rhcosVersion'),
    mode === 'RHCOSVersion',
    'rhcosVersion is required when mode is RHCOSVersion',
  )
  return [...causes, ...versionRules(value, field)]
}

function skewRules(value: unknown, field: string, automatic: boolean): Cause[] {
  if (value === undefined) return []
  const causes: Cause[] = []
  const mode = at(value, 'mode')
  if (automatic)
    onlyWith(
      causes,
      field,
      at(value, 'automatic') !== undefined,
      mode === 'Automatic',
      'automatic is required when mode is Automatic',
    )
  onlyWith(
    causes,
    field,
    at(value, 'manual') !== undefined,
    mode === 'Manual',
    'manual is required when mode is Manual',
  )
  const record = at(value, 'automatic')
  if (automatic && record !== undefined) {
    if (at(record, 'ocpVersion') === undefined && at(record, 'rhcosVersion') === undefined)
      causes.push(bad(`${field}.automatic`, 'at least one of ocpVersion or rhcosVersion is required'))
    causes.push(...versionRules(record, `${field}.automatic`))
  }
  return [...causes, ...manualRules(at(value, 'manual'), `${field}.manual`)]
}

const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : [])

function managerRules(value: unknown, field: string): Cause[] {
  return list(at(value, 'machineManagers')).flatMap((manager, i) => {
    const causes: Cause[] = []
    const here = `${field}.machineManagers[${i}]`
    const mode = at(manager, 'selection', 'mode')
    if (manager.resource === 'controlplanemachinesets' && mode !== 'All' && mode !== 'None')
      causes.push(bad(here, 'Only All or None selection mode is permitted for ControlPlaneMachineSets'))
    const partial = at(manager, 'selection', 'partial') !== undefined
    onlyWith(causes, `${here}.selection`, partial, mode === 'Partial', 'Partial is required when type is partial')
    return causes
  })
}

/** These look at status while spec is written: only the operator's own mode lets go of the machine sets. */
function automaticRules(object: unknown): Cause[] {
  if (at(object, 'status', 'bootImageSkewEnforcementStatus', 'mode') !== 'Automatic') return []
  const say = (message: string) => bad('<nil>', `when skew enforcement is in Automatic mode, ${message}`)
  const causes: Cause[] = []
  const [spec, status] = [at(object, 'spec', 'managedBootImages'), at(object, 'status', 'managedBootImagesStatus')]
  if (spec === undefined && status === undefined) causes.push(say('a boot image configuration is required'))
  const wanted = at(spec, 'machineManagers')
  const sets = list(wanted).filter((m) => m.resource === 'machinesets')
  if (Array.isArray(wanted) && wanted.length === 0)
    causes.push(say('managedBootImages.machineManagers must not be an empty list'))
  if (sets.length && !sets.some((m) => at(m, 'selection', 'mode') === 'All'))
    causes.push(say("any MachineAPI MachineSet MachineManager must use selection mode 'All'"))
  const effective = at(status, 'machineManagers')
  const all = list(effective).some((m) => m.resource === 'machinesets' && at(m, 'selection', 'mode') === 'All')
  if (Array.isArray(effective) && !all)
    causes.push(say('managedBootImagesStatus must contain a MachineManager opting in all MachineAPI MachineSets'))
  return causes
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The rules behind the schema. What a write leaves as it was is not held against it, but for those of the whole object. */
export const machineConfigurationRules: Validator = (object, old) => {
  const changed = (...path: string[]) => {
    const value = at(object, ...path)
    return same(value, at(old, ...path)) ? undefined : value
  }
  return [
    ...automaticRules(object),
    ...skewRules(changed('spec', 'bootImageSkewEnforcement'), 'spec.bootImageSkewEnforcement', false),
    ...managerRules(changed('spec', 'managedBootImages'), 'spec.managedBootImages'),
    ...skewRules(changed('status', 'bootImageSkewEnforcementStatus'), 'status.bootImageSkewEnforcementStatus', true),
    ...managerRules(changed('status', 'managedBootImagesStatus'), 'status.managedBootImagesStatus'),
  ]
}
