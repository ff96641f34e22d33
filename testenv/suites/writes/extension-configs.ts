import type { Json, JsonObject } from '@/lib/domain/json'
import type { Case } from './machine-deployments'

const client = (clientConfig: Json): JsonObject => ({ spec: { clientConfig } })
const service = (value: JsonObject): JsonObject =>
  client({ url: null, service: { name: 'gate', namespace: 'drydock', ...value } })

export const CREATED: Case[] = [
  ['https', {}],
  ['https with a path', client({ url: 'https://gate.example.com:9443/hooks/c1' })],
  ['http', client({ url: 'http://127.0.0.1:9' })],
  ['ftp', client({ url: 'ftp://127.0.0.1:9' })],
  ['no scheme', client({ url: '127.0.0.1:9' })],
  ['a host with a space', client({ url: 'https://a b' })],
  ['no host', client({ url: 'https://' })],
  ['url empty', client({ url: '' })],
  ['url too long', client({ url: `https://a/${'x'.repeat(510)}` })],
  ['neither url nor service', client({ url: null })],
  ['only an authority', client({ url: null, caBundle: 'aGVsbG8=' })],
  ['both url and service', client({ service: { name: 'gate', namespace: 'drydock' } })],
  ['service', service({})],
  ['service with a path', service({ path: '/hooks', port: 9443 })],
  ['service with a path without a slash', service({ path: 'hooks' })],
  ['service port zero', service({ port: 0 })],
  ['service port too high', service({ port: 70000 })],
  ['service without a namespace', client({ url: null, service: { name: 'gate' } })],
  ['service with a bad name', service({ name: 'Gate' })],
  ['service with a bad namespace', service({ namespace: 'Dry Dock' })],
  ['authority that is not base64', client({ caBundle: 'not base64!' })],
  ['authority that is no certificate', client({ caBundle: 'aGVsbG8=' })],
  ['authority empty', client({ caBundle: '' })],
  ['no clientConfig', { spec: { clientConfig: null } }],
  ['namespace selector', { spec: { namespaceSelector: { matchLabels: { a: 'b' } } } }],
  ['namespace selector with a bad value', { spec: { namespaceSelector: { matchLabels: { a: 'b c' } } } }],
  [
    'namespace selector with a bad operator',
    { spec: { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } } },
  ],
  ['settings', { spec: { settings: { defaultAllHandlersToBlocking: 'true' } } }],
  ['settings as a boolean', { spec: { settings: { a: true } } }],
  ['unknown field', { spec: { timeout: 5 } }],
  ['name with a dot', { metadata: { name: 'a.b' } }],
  ['name of 64', { metadata: { name: 'e'.repeat(64) } }],
  ['name with a digit first', { metadata: { name: '9gate' } }],
]

export const PATCHED: Case[] = [
  ['nothing', {}],
  ['another url', client({ url: 'https://127.0.0.1:10' })],
  ['to http', client({ url: 'http://127.0.0.1:9' })],
  ['url away', client({ url: null })],
  ['to a service', service({})],
  ['a service beside', client({ service: { name: 'gate', namespace: 'drydock' } })],
]
