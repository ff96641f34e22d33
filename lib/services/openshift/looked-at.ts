import { canonical } from '@/lib/domain/changes/canonical'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'

type Content = Pick<KubeObject, 'spec' | 'data'>

// Module state is not shared between Next's bundles; globalThis is.
const shared = globalThis as typeof globalThis & { __drydockLooked?: Map<string, Content> }
const looked = (shared.__drydockLooked ??= new Map())
const MOST = 500

const key = (uid: string, resourceVersion: string): string => `${uid} ${resourceVersion}`

/** Keeps what somebody is shown before deciding: only a conflict's words go by it, so that losing it with the process is no harm. */
export function keepLooked({ metadata: { uid, resourceVersion }, spec, data }: KubeObject): void {
  const of = key(uid, resourceVersion)
  looked.delete(of)
  looked.set(of, { spec, data })
  if (looked.size > MOST) looked.delete(looked.keys().next().value!)
}

/** Of an object that an action bound to a version wrote: what is another one after that, others changed. */
export const keepWritten = (object: KubeObject, bound: string): void =>
  keepLooked({ ...object, metadata: { ...object.metadata, resourceVersion: afterOf(bound) } })

/** In the place of a version: what was written for it. */
export const afterOf = (bound: string): string => `after ${bound}`

/** As it was then; undefined: that is not known any more. */
export const lookedAt = (uid: string, resourceVersion: string): Content | undefined =>
  looked.get(key(uid, resourceVersion))

/** Top-level fields of the spec, or keys of the data, that differ. */
export function changedFields(before: Content, now: Content): string[] {
  const [was, is] = [before, now].map(({ spec, data }): JsonObject => spec ?? data ?? {}) as [JsonObject, JsonObject]
  const said = (of: JsonObject, field: string) => (of[field] === undefined ? undefined : canonical(of[field]))
  return Object.keys({ ...was, ...is }).filter((field) => said(was, field) !== said(is, field))
}
