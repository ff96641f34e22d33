import { HELD, PAUSED, PAUSED_BY_DRYDOCK, POOL_PAUSED, WAITING } from './names'
import type { Cause, ClusterApiVersion, LatchedKind } from './table'

// CEL that the API server and @marcbachmann/cel-js read alike: has(), in, all, no optional types.

/** String literal that CEL reads as written. */
export const quote = (text: string): string => JSON.stringify(text)

/** Every step of the path exists. `spec` always does. */
function present(root: string, path: string): string {
  const steps = path.split('.')
  const tests = steps.map((_, i) => `has(${root}.${steps.slice(0, i + 1).join('.')})`).slice(1)
  return tests.length ? tests.join(' && ') : 'true'
}

/** Whether the field differs between the stored object and the one that would be. */
function changed({ path, except }: Cause): string {
  const [now, before] = [`object.${path}`, `oldObject.${path}`]
  const [nowThere, beforeThere] = [present('object', path), present('oldObject', path)]
  const both = `${nowThere} && ${beforeThere}`
  return `(${nowThere}) != (${beforeThere}) || (${both} && ${except ? differsExcept(now, before, except) : `${now} != ${before}`})`
}

function differsExcept(now: string, before: string, except: readonly string[]): string {
  const ignored = `[${except.map(quote).join(', ')}]`
  const kept = `${now}.all(k, k in ${ignored} || (k in ${before} && ${before}[k] == ${now}[k]))`
  const gone = `${before}.all(k, k in ${ignored} || k in ${now})`
  return `!(${kept} && ${gone})`
}

/** The write would cause a rollout. */
export function causesRollout(kind: LatchedKind, version: ClusterApiVersion): string {
  const causes = kind.causes[version].map((cause) => `(${changed(cause)})`).join(' || ')
  const others = (kind.never ?? []).map((name) => `object.metadata.name != ${quote(name)} && `)
  return others.length > 0 ? `${others.join('')}(${causes})` : causes
}

/** What stands in drydock.dev/held: names the version where it differs. The one before may run nowhere: it was held, too. */
export function heldWords(kind: LatchedKind): string {
  const path = kind.version
  const both = `${present('object', path)} && ${present('oldObject', path)} && object.${path} != oldObject.${path}`
  const [step, else_] = kind.pausedBy
    ? ['to ', 'its nodes would take up another configuration']
    : ['to version ', `the ${kind.kind}'s machines would be rolled out`]
  return `${quote(WAITING)} + (${both} ? ${quote(step)} + string(object.${path}) : ${quote(else_)})`
}

const annotated = (root: string, key: string) =>
  `has(${root}.metadata.annotations) && ${quote(key)} in ${root}.metadata.annotations`

/** The mutation: held, with the words, and paused unless somebody paused it already; their value stays theirs. */
export function holdMutation(kind: LatchedKind): string {
  const words = heldWords(kind)
  const held = `${quote(HELD)}: ${words}`
  if (kind.pausedBy) {
    const ours = `{${held}, ${quote(POOL_PAUSED)}: ${quote(PAUSED_BY_DRYDOCK)}}`
    return `Object{metadata: Object.metadata{annotations: ${pausedField('object')} ? {${held}} : ${ours}}, spec: Object.spec{paused: true}}`
  }
  const annotations = `${annotated('object', PAUSED)} ? {${held}} : {${held}, ${quote(PAUSED)}: ${quote(PAUSED_BY_DRYDOCK)}}`
  return `Object{metadata: Object.metadata{annotations: ${annotations}}}`
}

const pausedField = (root: string) => `has(${root}.spec.paused) && ${root}.spec.paused`

/** The pool is held, or paused by Drydock. */
export const guardedPool = (): string => `(${annotated('oldObject', HELD)}) || (${annotated('oldObject', POOL_PAUSED)})`

/** What was there of hold, mark and pause is still there. */
export function poolStillHeld(): string {
  const kept = (key: string) => `(!(${annotated('oldObject', key)}) || (${annotated('object', key)}))`
  return `${kept(HELD)} && ${kept(POOL_PAUSED)} && (!(${pausedField('oldObject')}) || (${pausedField('object')}))`
}

/** The object is held, or paused by Drydock. */
export function guarded(): string {
  const ours = `${annotated('oldObject', PAUSED)} && oldObject.metadata.annotations[${quote(PAUSED)}] == ${quote(PAUSED_BY_DRYDOCK)}`
  return `(${annotated('oldObject', HELD)}) || (${ours})`
}

/** What was there of hold and pause is still there. */
export function stillHeld(): string {
  const kept = (key: string) => `(!(${annotated('oldObject', key)}) || (${annotated('object', key)}))`
  return `${kept(HELD)} && ${kept(PAUSED)}`
}

export const hasAnnotation = annotated

/** Neither Drydock itself nor somebody of the break-glass group. */
export function notExempt(identity: string, breakGlassGroup: string): string {
  const group = `has(request.userInfo.groups) && ${quote(breakGlassGroup)} in request.userInfo.groups`
  return `!(request.userInfo.username == ${quote(identity)} || (${group}))`
}
