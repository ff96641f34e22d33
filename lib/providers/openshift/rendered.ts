import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Rendered, RenderedFile, RenderedUnit } from '@/lib/domain/pools/config-diff'
import { canonical, isObject } from '@/lib/domain/changes/canonical'
import type { DisruptionPolicies } from '@/lib/domain/pools/effect'
import type { Json, JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at, count, items, text } from './loose'

export const MACHINE_CONFIGS = {
  group: 'machineconfiguration.openshift.io',
  version: 'v1',
  plural: 'machineconfigs',
} as const

const RELEASE = 'machineconfiguration.openshift.io/release-image-version'
/** Longer contents are compared and not shown. */
const MOST_BYTES = 256 * 1024

/** The release that a rendered config was made for. */
export const releaseOfConfig = (config: KubeObject): string | null => config.metadata.annotations?.[RELEASE] ?? null

/** A rendered MachineConfig, its Ignition decoded. */
export function readRendered(object: KubeObject): Rendered {
  const ignition = at(object, 'spec', 'config')
  return {
    name: object.metadata.name,
    release: releaseOfConfig(object),
    files: items(ignition, 'storage', 'files').map(file),
    units: items(ignition, 'systemd', 'units').map(unit),
    values: valuesOf(object),
    kernelArguments: words(object, 'kernelArguments'),
    extensions: words(object, 'extensions'),
    users: items(ignition, 'passwd', 'users').map((user) => ({
      name: text(user, 'name') ?? '',
      digest: digest(JSON.stringify(user)),
    })),
    rest: restOf(object),
  }
}

const digest = (value: string): string => createHash('sha256').update(value).digest('hex')

function words(object: KubeObject, key: string): string[] {
  const list = at(object, 'spec', key)
  return Array.isArray(list) ? list.filter((word): word is string => typeof word === 'string') : []
}

const VALUES = ['osImageURL', 'baseOSExtensionsContainerImage', 'kernelType', 'fips'] as const

function valuesOf(object: KubeObject): Record<string, string> {
  const entries = VALUES.flatMap((key) => {
    const value = at(object, 'spec', key)
    return typeof value === 'string' || typeof value === 'boolean' ? [[key, String(value)] as const] : []
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

const without = (value: Json | undefined, ...keys: string[]): JsonObject =>
  Object.fromEntries(Object.entries(isObject(value) ? value : {}).filter(([key]) => !keys.includes(key)))

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Of a file's contents, what is compared nowhere else: headers for fetching them. */
const moreOf = (item: Json): JsonObject => without(at(item, 'contents'), 'source', 'compression', 'verification')

/** Digests of what is compared nowhere else. Ignition's version says how the rest is written, not what it is. */
function restOf(object: KubeObject): Record<string, string> {
  const ignition = at(object, 'spec', 'config')
  const [storage, systemd, passwd] = ['storage', 'systemd', 'passwd'].map((key) => at(ignition, key))
  const named = (prefix: string, value: JsonObject) =>
    Object.entries(value).map(([key, inner]): [string, Json] => [`${prefix}${key}`, inner])
  const owners = items(storage, 'files')
    .map((f) => [text(f, 'path') ?? '', { ...without(f, 'path', 'mode', 'contents', 'append'), ...moreOf(f) }] as const)
    .filter(([, more]) => !isEmpty(more))
    .map(([path, more]): Json => ({ ...more, path }))
  const units = items(systemd, 'units')
    .map((u): Json => without(u, 'contents', 'dropins', 'enabled', 'mask'))
    .filter((u) => Object.keys(u as JsonObject).length > 1)
  const parts: [string, Json][] = [
    ...named('', without(object.spec as Json | undefined, 'config', 'kernelArguments', 'extensions', ...VALUES)),
    ...named('', without(ignition, 'storage', 'systemd', 'passwd', 'ignition')),
    ...named('ignition.', without(at(ignition, 'ignition'), 'version')),
    ...named('storage.', without(storage, 'files')),
    ...named('systemd.', without(systemd, 'units')),
    ...named('passwd.', without(passwd, 'users')),
    ['owners or headers of files', owners],
    ['more of units', units],
  ]
  return Object.fromEntries(
    parts.filter(([, value]) => !isEmpty(value)).map(([name, value]) => [name, digest(canonical(value))]),
  )
}

/** Null: the operator does not say, or not of the newest configuration. */
export function readDisruptionPolicies(configuration: KubeObject): DisruptionPolicies | null {
  const policies = at(configuration, 'status', 'nodeDisruptionPolicyStatus', 'clusterPolicies')
  const seen = count(configuration, 'status', 'observedGeneration')
  if (!isObject(policies) || seen !== (configuration.metadata.generation ?? 0)) return null
  const actions = (item: unknown) => items(item, 'actions').map((action) => text(action, 'type') ?? '')
  return {
    files: items(policies, 'files').map((f) => ({ path: text(f, 'path') ?? '', actions: actions(f) })),
    units: items(policies, 'units').map((u) => ({ name: text(u, 'name') ?? '', actions: actions(u) })),
    sshKey: actions(at(policies, 'sshkey')),
  }
}

function file(item: JsonObject): RenderedFile {
  const source = text(item, 'contents', 'source') ?? ''
  const compression = text(item, 'contents', 'compression') ?? ''
  const appended = items(item, 'append')
  const mode = at(item, 'mode')
  const content = appended.length > 0 ? null : decoded(source, compression)
  return {
    path: text(item, 'path') ?? '',
    mode: typeof mode === 'number' ? mode : null,
    text: content,
    bytes: content === null ? null : Buffer.byteLength(content),
    digest: digest(JSON.stringify([source, compression, appended, text(item, 'contents', 'verification', 'hash')])),
  }
}

/** Contents of a data URL (RFC 2397), which is how rendered configs carry them. Null: another kind, too long, or not text. */
function decoded(source: string, compression: string): string | null {
  const [, parameters, data] = /^data:([^,]*),([^]*)$/.exec(source) ?? []
  if (source === '') return ''
  if (parameters === undefined || data === undefined) return null
  try {
    const bytes = parameters.endsWith(';base64') ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data))
    if (compression !== '' && compression !== 'gzip') return null
    const plain = compression === 'gzip' ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes
    if (plain.length > MOST_BYTES) return null
    return new TextDecoder('utf-8', { fatal: true }).decode(plain)
  } catch {
    return null
  }
}

function unit(item: JsonObject): RenderedUnit {
  const parts = [
    at(item, 'enabled') === undefined ? '' : `# enabled: ${String(at(item, 'enabled'))}\n`,
    at(item, 'mask') === undefined ? '' : `# mask: ${String(at(item, 'mask'))}\n`,
    text(item, 'contents') ?? '',
    ...items(item, 'dropins').map((d) => `\n# ${text(d, 'name') ?? ''}\n${text(d, 'contents') ?? ''}`),
  ]
  return { name: text(item, 'name') ?? '', text: parts.join('') }
}
