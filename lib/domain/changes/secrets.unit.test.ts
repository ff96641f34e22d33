import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../json'
import { changesByName } from './by-name'
import { changesBetween } from './diff'
import { masked, redacted, safeText, secretIn } from './secrets'

const SECRET = 'Hunter2x'

test.each<Json>([
  { name: 'DB_PASSWORD', value: SECRET },
  { value: SECRET, name: 'ETCD_TOKEN' },
  { key: 'X-Api-Key', values: [SECRET] },
  { Name: 'Authorization', Value: SECRET },
  { credentials: { user: 'a', pin: SECRET } },
  { password: { name: SECRET } },
  { secret: { name: 'a', value: SECRET } },
  { tokens: [{ a: SECRET }] },
  { bootstrapTokens: [SECRET] },
  { encryptionKey: SECRET },
  ['--password', SECRET, true],
  ['--password', SECRET, null, 7],
  { pull_secrets: ['a', { name: 'two words', x: SECRET }] },
])('in an object: %j', (value) => {
  expect(secretIn(value)).toBe(true)
  expect(JSON.stringify(redacted(value))).not.toContain(SECRET)
})

const shown: Json[] = [
  { name: 'LOG_LEVEL', value: 'debug' },
  { name: 'PASSWORD_FILE', value: '/run/x' },
  { name: 'enable-bootstrap-token-auth', value: 'true' },
  { name: 'service-account-signing-key-file', value: '/etc/kubernetes/pki/sa.key' },
  { name: 'secret-store', hostPath: '/a', mountPath: '/b', readOnly: true, pathType: 'Directory' },
  { contentFrom: { secret: { name: 'files', key: 'audit.yaml' } }, passwdFrom: { secret: { name: 'a', key: 'b' } } },
  { userDataSecret: { name: 'worker-user-data' }, credentialsSecret: { name: 'cloud' } },
  { imagePullSecrets: [{ name: 'a' }], userData: { name: 'a', namespace: 'b' } },
  { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'a', key: 'b', optional: true } } },
  { bootstrapToken: { apiServerEndpoint: 'a:6443', caCertHashes: ['sha256:ab'], unsafeSkipCAVerification: false } },
  { lockPassword: true, dataSecretCreated: true, uncompressedUserData: false, password: null, token: '' },
  { encryptionKey: 'arn:aws:kms:eu-west-1:1:key/ab', rootDiskEncryptionKey: { keyType: 'Managed', managedKey: {} } },
  { featureGates: { KubeletEnsureSecretPulledImages: true }, extraArgs: { 'authentication-token-webhook': 'true' } },
  { dataSecretName: 'a', joinConfiguration: { discovery: {} }, version: 'v1.34.2', sshKeyName: 'ops' },
  { providerID: 'aws:///eu-west-1a/i-0abc', failureDomain: '1', imageRepository: 'registry.k8s.io' },
]
test.each(shown)('is shown: %j', (value) => {
  expect(redacted(value)).toEqual(value)
  expect(secretIn(value)).toBe(false)
})

const key = fc.constantFrom(
  'password',
  'DB_PASSWORD',
  'accessToken',
  'client-key-data',
  'secretAccessKey',
  'passphrase',
)
const hard = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9+/_-]{2,20}Q7z$/)

test('wherever it is in a JSON, and whatever it is in, it is not in what is shown of it', () => {
  const holders: ((k: string, s: string) => Json)[] = [
    (k, s) => ({ [k]: s }),
    (k, s) => ({ [k]: [s] }),
    (k, s) => ({ [k]: { a: { b: s } } }),
    (k, s) => ({ name: k, value: s }),
    (k, s) => ({
      env: [
        { value: s, name: k },
        { name: 'a', value: 'b' },
      ],
    }),
    (k, s) => `${k}=${s}`,
    (k, s) => `run --${k} ${s}`,
    (k, s) => `a: b\n${k}: x ${s}\nc: d`,
    (k, s) => JSON.stringify({ a: { [k]: s } }),
    (k, s) => JSON.stringify(JSON.stringify({ [k]: s })),
    (_, s) => `http://u:${encodeURIComponent(s)}@host:80/x`,
    (_, s) => `-H 'Authorization: Bearer ${s}'`,
  ]
  const places = fc.array(fc.oneof(fc.constantFrom('a', 'spec', 'files'), fc.nat(2)), { maxLength: 4 })
  fc.assert(
    fc.property(fc.constantFrom(...holders), key, hard, places, fc.jsonValue(), (holder, k, secret, path, beside) => {
      fc.pre(!JSON.stringify(beside).includes(secret))
      const held = holder(k, secret)
      const whole = path.reduceRight<Json>(
        (inner, at) => (typeof at === 'number' ? [inner, beside as Json] : { [at]: inner, other: beside as Json }),
        held,
      )
      expect(secretIn(whole)).toBe(true)
      expect(JSON.stringify(redacted(whole))).not.toContain(secret)
      if (typeof held === 'string') expect(safeText(held)).not.toContain(secret)
      const desired: JsonObject = { x: whole, y: { z: 1 } }
      for (const current of [{ y: { z: 2 } }, { x: null, y: {} }] as JsonObject[]) {
        const sides = {
          current: { machine: {}, infrastructure: current },
          desired: { machine: {}, infrastructure: desired },
        }
        const changes = changesBetween(sides.current, sides.desired)
        for (const list of [changes, changesByName(changes, sides.current, sides.desired)])
          for (const known of [sides, undefined])
            expect(JSON.stringify(masked(list, 'p', () => 'd', known))).not.toContain(secret)
      }
    }),
    { numRuns: 500 },
  )
})

test('a value whose name stands beside it, where only the value changed', () => {
  const revision = (level: string, password: string, first: JsonObject[] = []) => ({
    machine: {},
    infrastructure: {
      env: [...first, { name: 'LEVEL', value: level }, { name: 'DB_PASSWORD', value: password }],
      userDataSecret: { name: level },
      volumes: [{ name: 'token-volume', hostPath: `/${level}` }],
    },
  })
  const [a, b] = [revision('debug', `${SECRET}1`), revision('info', `${SECRET}2`)]
  const c = revision('info', `${SECRET}2`, [{ name: 'NEW', value: '1' }])
  const paths = (list: ReturnType<typeof masked>) => list.filter(({ secret }) => secret).map(({ path }) => path)
  for (const desired of [b, c]) {
    const sides = { current: a, desired }
    const changes = changesBetween(a, desired)
    const byPlace = masked(changes, 'p', () => 'd', sides)
    const byName = masked(changesByName(changes, a, desired), 'p', () => 'd', sides)
    expect(JSON.stringify([byPlace, byName, masked(changes, 'p', () => 'd')])).not.toContain(SECRET)
    expect(paths(byName)).toEqual(['env["DB_PASSWORD"].value'])
    if (desired === b) expect(paths(byPlace)).toEqual(['env[1].value'])
  }
})

test('a masked value has the digest of what it is, whatever the order of its keys', () => {
  const side = (file: JsonObject) => ({ machine: {}, infrastructure: { x: { credentials: file } } })
  const of = (file: JsonObject) =>
    masked(changesBetween({ machine: {}, infrastructure: { y: 1 } }, side(file)), 'p', (text) => text)
  expect(of({ a: '1', b: SECRET })).toEqual(of({ b: SECRET, a: '1' }))
  expect(of({ a: '1', b: SECRET })).not.toEqual(of({ b: SECRET, a: '2' }))
})

test.each<[string[], boolean]>([
  [['--token', 'hunter2'], true],
  [['-u', 'ann:hunter2'], false],
  [['curl', '-u', 'ann:hunter2', 'https://x'], true],
  [['--v', '4'], false],
  [['token', 'hunter2'], false],
  [['a', 'b'], false],
])('arguments %j are a credential: %s', (args, secret) => {
  expect(secretIn({ args })).toBe(secret)
  expect(JSON.stringify(redacted({ args })).includes('hunter2')).toBe(!secret && args.join().includes('hunter2'))
  const side = (list: string[]) => ({ machine: {}, bootstrap: { exec: { args: list } }, workers: true as const })
  const sides = { current: side(args.map((arg, i) => (i === 1 ? 'old' : arg))), desired: side(args) }
  const changes = masked(changesBetween(sides.current, sides.desired), 'pair', () => '', sides)
  if (secret) expect(JSON.stringify(changes)).not.toContain('hunter2')
})

test('a list of thousands of named items is masked in the time that it takes to read it', () => {
  const side = (value: string) => {
    const env = Array.from({ length: 4_000 }, (_, i) => ({ name: `N${i}`, value: `${value} ${i}` }))
    return { machine: {}, bootstrap: { env }, workers: true as const }
  }
  const sides = { current: side('a'), desired: side('b') }
  const changes = changesByName(changesBetween(sides.current, sides.desired), sides.current, sides.desired)
  const start = process.cpuUsage()
  expect(masked(changes, 'pair', () => '', sides)).toHaveLength(4_000)
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5)
})

test.each<[string, string[]]>([
  [
    'a key that is written line by line',
    ['cat > /k <<EOF', 'echo -----BEGIN RSA PRIVATE KEY-----', SECRET.repeat(8), 'EOF'],
  ],
  ['a header that goes on in the next line', ['curl -H "Authorization: Bearer \\', `${SECRET}" https://x`]],
])('in the lines of a list of commands, whole or grown: %s', (_, lines) => {
  const revision = (preKubeadmCommands: string[]) => ({
    ...{ machine: {}, workers: true as const, bootstrap: { preKubeadmCommands } },
  })
  for (const before of [[], ['swapoff -a']]) {
    const [current, desired] = [revision(before), revision([...before, ...lines])]
    const fields = changesByName(changesBetween(current, desired), current, desired)
    const shown = masked(fields, 'p', () => 'digest', { current, desired })
    expect(JSON.stringify(shown)).not.toContain(SECRET)
    expect(JSON.stringify(redacted(desired.bootstrap))).not.toContain(SECRET)
  }
})
