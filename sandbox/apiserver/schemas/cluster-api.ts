import type { Schema } from '../schema'
import {
  boolean,
  contractRef,
  dateTime,
  int32,
  intOrPercent,
  labelSelector,
  list,
  listMap,
  object,
  oneOf,
  open,
  openStatus,
  templateMetadata,
  text,
} from './common'

const name63 = text(1, 63)
const order = oneOf('Random', 'Newest', 'Oldest')

const taint = object(
  {
    key: text(
      1,
      317,
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$',
    ),
    value: text(0, 63),
    effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    propagation: oneOf('Always', 'OnInitialization'),
  },
  ['key', 'effect', 'propagation'],
)
const readinessGates = listMap(
  ['conditionType'],
  object({ conditionType: text(1, 316), polarity: oneOf('Positive', 'Negative') }, ['conditionType']),
)
const timeouts = {
  nodeDrainTimeoutSeconds: int32(0),
  nodeVolumeDetachTimeoutSeconds: int32(0),
  nodeDeletionTimeoutSeconds: int32(0),
}

const machineSpec = object(
  {
    clusterName: name63,
    bootstrap: object({ configRef: contractRef(), dataSecretName: text(0, 253) }),
    infrastructureRef: contractRef(),
    version: text(1, 256),
    providerID: text(1, 512),
    failureDomain: text(1, 256),
    minReadySeconds: int32(0),
    readinessGates,
    deletion: object(timeouts, undefined, { minProperties: 1 }),
    taints: listMap(['key', 'effect'], taint),
  },
  ['bootstrap', 'clusterName', 'infrastructureRef'],
)

const template = object({ metadata: templateMetadata, spec: machineSpec }, ['spec'])

const after = dateTime
const remediation = object({ maxInFlight: intOrPercent, triggerIf: open() })

export const machine: Schema = object({ spec: machineSpec, status: openStatus }, ['spec'])

export const machineSet: Schema = object(
  {
    spec: object(
      {
        clusterName: name63,
        replicas: int32(),
        selector: labelSelector,
        template,
        machineNaming: object({ template: text(1, 256) }),
        deletion: object({ order }),
      },
      ['clusterName', 'selector', 'template'],
    ),
    status: openStatus,
  },
  ['spec'],
)

export const machineDeployment: Schema = object(
  {
    spec: object(
      {
        clusterName: name63,
        replicas: int32(),
        paused: boolean,
        selector: labelSelector,
        template,
        machineNaming: object({ template: text(1, 256) }),
        rollout: object(
          {
            after,
            strategy: object(
              {
                type: oneOf('RollingUpdate', 'OnDelete'),
                rollingUpdate: object({ maxSurge: intOrPercent, maxUnavailable: intOrPercent }, undefined, {
                  minProperties: 1,
                }),
              },
              ['type'],
            ),
          },
          undefined,
          { minProperties: 1 },
        ),
        remediation,
        deletion: object({ order }, undefined, { minProperties: 1 }),
      },
      ['clusterName', 'selector', 'template'],
    ),
    status: openStatus,
  },
  ['spec'],
)

const commands = list({ type: 'string' })
const kubeadmConfigSpec = object({
  clusterConfiguration: open({ dns: open({ imageRepository: text(1, 512), imageTag: text(1, 256) }) }),
  initConfiguration: open(),
  joinConfiguration: open(),
  files: list(open({ path: text(1, 512) }, ['path'])),
  users: list(open({ name: text(1, 256) }, ['name'])),
  bootCommands: commands,
  preKubeadmCommands: commands,
  postKubeadmCommands: commands,
  verbosity: int32(),
  format: oneOf('cloud-config', 'ignition'),
  diskSetup: open(),
  ignition: open(),
  mounts: list({}),
  ntp: open(),
})

export const controlPlane: Schema = object(
  {
    spec: object(
      {
        replicas: int32(),
        version: text(1, 256),
        kubeadmConfigSpec,
        machineTemplate: object(
          {
            metadata: templateMetadata,
            spec: object(
              {
                infrastructureRef: contractRef(),
                readinessGates,
                deletion: object(timeouts, undefined, { minProperties: 1 }),
                taints: listMap(['key', 'effect'], taint),
              },
              ['infrastructureRef'],
            ),
          },
          ['spec'],
        ),
        machineNaming: object({ template: text(1, 256) }),
        rollout: object(
          {
            after,
            before: object({ certificatesExpiryDays: int32(7) }, undefined, { minProperties: 1 }),
            strategy: object(
              {
                type: oneOf('RollingUpdate'),
                rollingUpdate: object({ maxSurge: intOrPercent }, undefined, { minProperties: 1 }),
              },
              ['type'],
            ),
          },
          undefined,
          { minProperties: 1 },
        ),
        remediation: open(),
      },
      ['machineTemplate', 'version'],
    ),
    status: openStatus,
  },
  ['spec'],
)

export const cluster: Schema = object(
  {
    spec: object(
      {
        paused: boolean,
        clusterNetwork: open(),
        controlPlaneEndpoint: object({ host: text(1, 512), port: int32(1, { maximum: 65535 }) }),
        controlPlaneRef: contractRef(),
        infrastructureRef: contractRef(),
        topology: open({ classRef: open({ name: text(1, 253) }, ['name']), version: text(1, 256) }, [
          'classRef',
          'version',
        ]),
        availabilityGates: list(open()),
      },
      undefined,
      { minProperties: 1 },
    ),
    status: openStatus,
  },
  ['spec'],
)

export const extensionConfig: Schema = object(
  {
    spec: object(
      {
        clientConfig: object(
          {
            url: text(1, 512),
            caBundle: { type: 'string', format: 'byte', minLength: 1, maxLength: 51200 },
            service: object({ name: text(1, 63), namespace: text(1, 63), path: text(1, 512), port: int32() }, [
              'name',
              'namespace',
            ]),
          },
          undefined,
          { minProperties: 1 },
        ),
        namespaceSelector: labelSelector,
        settings: { type: 'object', additionalProperties: { type: 'string' } },
      },
      ['clientConfig'],
    ),
    status: openStatus,
  },
  ['spec'],
)

export const machineHealthCheck: Schema = object(
  { spec: open({ clusterName: name63, selector: labelSelector }, ['clusterName', 'selector']), status: openStatus },
  ['spec'],
)

/** A template of another kind: what it makes cannot be changed afterwards. */
export const templateKind: Schema = object(
  { spec: open({ template: open({ spec: open() }, ['spec']) }, ['template']), status: openStatus },
  ['spec'],
)
