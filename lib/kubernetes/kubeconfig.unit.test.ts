import { stringify } from 'yaml'
import { describe, expect, test } from 'vitest'
import { readKubeconfig } from './kubeconfig'

const CA = Buffer.from('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n').toString('base64')
const KEY = Buffer.from('-----BEGIN EC PRIVATE KEY-----\nMIIB\n-----END EC PRIVATE KEY-----\n').toString('base64')
const SERVER = 'https://api.fleet.example:6443'

const config = (cluster: object = {}, user: object = { token: 'abc.def' }, more: object = {}) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: SERVER, 'certificate-authority-data': CA, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...more,
  })

describe('what is kept', () => {
  test('a token with an inline authority', () => {
    const reading = readKubeconfig(config())
    expect(reading.refused).toEqual([])
    expect(reading.credentials).toMatchObject({ server: SERVER, token: 'abc.def' })
    expect(reading.credentials?.caPem).toContain('BEGIN CERTIFICATE')
    expect(JSON.stringify(reading.kept)).not.toContain('abc.def')
  })

  test('an inline client certificate', () => {
    const reading = readKubeconfig(config({}, { 'client-certificate-data': CA, 'client-key-data': KEY }))
    expect(reading.refused).toEqual([])
    expect(reading.credentials?.keyPem).toContain('EC PRIVATE KEY')
  })

  test('of several contexts the chosen one; others may hold what would be refused', () => {
    const text = config(
      {},
      { token: 't' },
      {
        users: [
          { name: 'u', user: { token: 't' } },
          { name: 'bad', user: { exec: { command: 'sh' } } },
        ],
        contexts: [
          { name: 'x', context: { cluster: 'c', user: 'u' } },
          { name: 'y', context: { cluster: 'c', user: 'bad' } },
        ],
      },
    )
    expect(readKubeconfig(text)).toMatchObject({
      contexts: ['x', 'y'],
      context: null,
      refused: [{ field: 'contexts' }],
    })
    expect(readKubeconfig(text, 'x').refused).toEqual([])
    expect(readKubeconfig(text, 'y').refused.map((r) => r.field)).toContain('exec')
  })
})

describe('what is refused, each with its own sentence', () => {
  test.each<[string, object, object]>([
    ['exec', {}, { exec: { command: '/bin/sh', args: ['-c', 'id'] } }],
    ['exec', {}, { token: 't', exec: { command: 'x' } }],
    ['auth-provider', {}, { 'auth-provider': { name: 'gcp' } }],
    ['client-certificate', {}, { 'client-certificate': '/etc/passwd', 'client-key-data': KEY }],
    ['client-key', {}, { 'client-certificate-data': CA, 'client-key': '/root/.ssh/id' }],
    ['tokenFile', {}, { tokenFile: '/var/run/secrets/token' }],
    ['username', {}, { username: 'a', password: 'b' }],
    ['as', {}, { token: 't', as: 'admin' }],
    ['as-groups', {}, { token: 't', 'as-groups': ['system:masters'] }],
    ['user', {}, {}],
    ['user', {}, { 'client-certificate-data': CA }],
    ['token', {}, { token: 'two\r\nlines' }],
    [
      'client-key-data',
      {},
      { 'client-certificate-data': CA, 'client-key-data': Buffer.from('nonsense').toString('base64') },
    ],
    ['insecure-skip-tls-verify', { 'insecure-skip-tls-verify': true }, { token: 't' }],
    ['proxy-url', { 'proxy-url': 'http://proxy:3128' }, { token: 't' }],
    ['certificate-authority', { 'certificate-authority': '/etc/ca.crt' }, { token: 't' }],
    ['certificate-authority-data', { 'certificate-authority-data': 'bm90IHBlbQ==' }, { token: 't' }],
    ['tls-server-name', { 'tls-server-name': 'other' }, { token: 't' }],
    ['server', { server: 'http://api.example:6443' }, { token: 't' }],
    ['server', { server: 'https://user:pw@api.example:6443' }, { token: 't' }],
    ['server', { server: 'file:///etc/passwd' }, { token: 't' }],
    ['server', { server: 'nonsense' }, { token: 't' }],
    ['server', { server: 42 }, { token: 't' }],
    ['server', { server: 'https://169.254.169.254' }, { token: 't' }],
    ['server', { server: 'https://2852039166' }, { token: 't' }],
    ['server', { server: 'https://0xa9.0xfe.0xa9.0xfe' }, { token: 't' }],
    ['server', { server: 'https://[::ffff:169.254.169.254]' }, { token: 't' }],
    ['server', { server: 'https://[fe80::1]:6443' }, { token: 't' }],
    ['server', { server: 'https://[fd00:ec2::254]' }, { token: 't' }],
    ['server', { server: 'https://100.100.100.200' }, { token: 't' }],
    ['server', { server: 'https://metadata.google.internal.' }, { token: 't' }],
    ['server', { server: 'https://0.0.0.0:6443' }, { token: 't' }],
    ['server', { server: 'https://[64:ff9b::169.254.169.254]' }, { token: 't' }],
    ['server', { server: 'https://[2002:a9fe:a9fe::1]' }, { token: 't' }],
    ['server', { server: 'https://[::169.254.169.254]' }, { token: 't' }],
    ['server', { server: 'https://[fd20:ce::254]' }, { token: 't' }],
  ])('%s: %j %j', (field, cluster, user) => {
    const reading = readKubeconfig(config(cluster, user))
    expect(reading.refused.map((r) => r.field)).toContain(field)
    expect(reading.refused.every((r) => /[.]$/.test(r.sentence))).toBe(true)
    expect(reading.credentials).toBeUndefined()
  })

  test.each([
    ['certificate-authority-data', '-----BEGIN CERTIFICATE-----\n', { token: 't' }],
    ['certificate-authority-data', '-----BEGIN CERTIFICATE-----\nMIIB', { token: 't' }],
    ['certificate-authority-data', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n', { token: 't' }],
    ['client-certificate-data', '-----BEGIN CERTIFICATE-----\nMIIB\n', { 'client-key-data': KEY }],
    ['client-key-data', '-----BEGIN EC PRIVATE KEY-----\nMIIB\n', { 'client-certificate-data': CA }],
  ])('%s that is cut off: %j', (field, pem, user) => {
    const data = { [field]: Buffer.from(pem).toString('base64') }
    const ofCluster = field === 'certificate-authority-data'
    const { refused, credentials } = readKubeconfig(
      config(ofCluster ? data : {}, ofCluster ? user : { ...user, ...data }),
    )
    const sentence = `${field} is cut off: its PEM block begins and does not end. Copy it again.`
    expect(refused).toEqual([{ field, sentence }])
    expect(credentials).toBeUndefined()
  })

  test.each<[string, string]>([
    ['too large', `# ${'x'.repeat(256 * 1024)}`],
    ['empty', '  \n'],
    ['not YAML', '{{{'],
    ['another document', 'a: 1'],
    ['a list', '- 1'],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}*a]\nc: &c [${'*b,'.repeat(9)}*b]\nd: [${'*c,'.repeat(9)}*c]`,
    ],
    ['no context', config({}, {}, { contexts: [] })],
    [
      'a context without its cluster',
      config({}, { token: 't' }, { contexts: [{ name: 'x', context: { cluster: 'gone', user: 'u' } }] }),
    ],
  ])('%s', (_name, text) => {
    const reading = readKubeconfig(text)
    expect(reading.refused.length).toBeGreaterThan(0)
    expect(reading.credentials).toBeUndefined()
  })

  test('an unknown context', () => {
    expect(readKubeconfig(config(), 'nope').refused[0]?.sentence).toContain('no context named nope')
  })
})
