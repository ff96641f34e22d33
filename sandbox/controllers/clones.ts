import type { JsonObject } from '../../lib/domain/json'
import type { SandboxObject } from '../types'
import type { Env } from './env'
import { json, type Ref } from './kinds'
import { ANNOTATION } from './names'

const PLURALS: Record<string, string> = {
  DevMachineTemplate: 'devmachinetemplates',
  KubeadmConfigTemplate: 'kubeadmconfigtemplates',
  KubeadmControlPlaneTemplate: 'kubeadmcontrolplanetemplates',
  DevClusterTemplate: 'devclustertemplates',
}

export function templateOf(env: Env, namespace: string | undefined, ref: Ref | undefined): SandboxObject | undefined {
  const plural = ref && PLURALS[ref.kind]
  return plural ? env.store.get(`${plural}.${ref.apiGroup}`, `${namespace}/${ref.name}`) : undefined
}

interface TemplateSpec {
  template?: { metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }; spec?: JsonObject }
}

export const inner = (template: SandboxObject) => (template.spec as unknown as TemplateSpec | undefined)?.template ?? {}

/** What a clone of this template has as spec and metadata. */
export function cloneOf(template: SandboxObject, metadata: { labels?: Record<string, string> }) {
  const { spec = {}, metadata: own } = inner(template)
  const group = template.apiVersion.split('/')[0]
  return {
    spec: json(spec),
    labels: { ...own?.labels, ...metadata.labels },
    annotations: {
      ...own?.annotations,
      [ANNOTATION.clonedFromName]: template.metadata.name,
      [ANNOTATION.clonedFromKind]: `${template.kind}.${group}`,
    },
  }
}

/** Merge patch that turns `from` into `to`: what `to` lacks is taken away. Lists are replaced whole. */
export function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {}
  for (const key of Object.keys(from)) if (!(key in to)) patch[key] = null
  for (const [key, value] of Object.entries(to)) {
    const before = from[key]
    if (isMap(before) && isMap(value)) {
      const below = difference(before, value)
      if (Object.keys(below).length > 0) patch[key] = below
    } else if (JSON.stringify(before) !== JSON.stringify(value)) patch[key] = value
  }
  return patch
}

const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
