import type { SandboxObject } from '../../types'
import { selects } from '../selectors'
import type { Objectbase } from '../storage/objects'
import type { AdmissionRequest } from '../storage/store'
import type { LabelSelector } from './match'

export interface ParamKind {
  apiVersion: string
  kind: string
}

export interface ParamRef {
  name?: string
  namespace?: string
  selector?: LabelSelector
  parameterNotFoundAction?: 'Allow' | 'Deny'
}

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io'

/** The objects that a binding gives its policy as `params`, each for an evaluation of its own. */
export function paramsOf(kind: ParamKind, ref: ParamRef, request: AdmissionRequest, base: Objectbase): SandboxObject[] {
  const found = resourceOf(kind, base)
  if (!found) return []
  const namespace = found.namespaced ? (ref.namespace ?? request.namespace) : undefined
  const { name, selector } = ref
  return base
    .of(found.name)
    .list(namespace)
    .filter((object) =>
      name === undefined ? selects(selector, object.metadata.labels) : object.metadata.name === name,
    )
}

function resourceOf(
  { apiVersion, kind }: ParamKind,
  base: Objectbase,
): { name: string; namespaced: boolean } | undefined {
  if (apiVersion === 'v1' && kind === 'ConfigMap') return { name: 'configmaps', namespaced: true }
  const group = apiVersion.split('/')[0]
  const definition = base
    .of(CRDS)
    .list()
    .find(({ spec }) => {
      const names = spec?.names as { kind?: string } | undefined
      return spec?.group === group && names?.kind === kind
    })
  return definition && { name: definition.metadata.name, namespaced: definition.spec?.scope === 'Namespaced' }
}
