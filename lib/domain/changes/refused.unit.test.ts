import { expect, it } from 'vitest'
import { maskedAnswer } from './secret-text'

it.each([
  ['a text', 'spec.users[0].passwd: Invalid value: "hunter2": must be longer'],
  [
    'a variable of a ClusterClass',
    String.raw`Cluster.cluster.x-k8s.io "a" is invalid: spec.topology.variables[adminPassword].value: Invalid value: "\"hunter2\"": must be longer`,
  ],
  [
    'any variable, for what is in it nobody knows',
    String.raw`spec.topology.variables[other].value: Invalid value: "hunter2": must be of type object`,
  ],
  ['an object as text', String.raw`spec.x: Invalid value: "{\"password\":\"hunter2\",\"a\":1}": unknown field`],
  ['a duplicate', 'spec.token: Duplicate value: "hunter2"'],
  ['one of those that are not supported', 'spec.token: Unsupported value: "hunter2": supported values: "a"'],
  ['credentials', 'spec.credentials: Invalid value: "hunter2": no'],
  ['one of a list', 'spec.tokens[0]: Invalid value: "hunter2": no'],
  ['data by their key', 'data[foo]: Invalid value: "hunter2": no'],
  ['an object as Go writes it', 'spec.secret: Invalid value: map[string]interface {}{"a":"hunter2 of them"}: no'],
  ['the second of two', 'x is invalid: [spec.a: Invalid value: "1": no, spec.apiKey: Invalid value: "hunter2": no]'],
  ['JSON', '{"spec":{"password":"hunter2","user":"a"}}'],
  ['a key with an underscore', '{"admin_password":"hunter2"}'],
  ['a list in JSON', '{"tokens":["hunter2"]}'],
  ['what is said again', 'spec.apiKey: Invalid value: "hunter2": "hunter2" is bad'],
  ['what is not found', 'spec.apiKey: Not found: "hunter2"'],
  ...[
    'secretAccessKey',
    'secretKey',
    'passwordHash',
    'tokenValue',
    'apiKeyData',
    'admin-password',
    'infra-variables[x]',
  ].map((key): [string, string] => [key, `spec.${key}: Invalid value: "hunter2": no`]),
])('masks %s', (_, words) => {
  expect(maskedAnswer(words)).not.toContain('hunter2')
  expect(maskedAnswer(words)).toContain('••••••')
})

it.each([
  'metadata: Invalid value: "a": no',
  'spec.version: Invalid value: "v1.x": must be a version',
  'metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case characters',
  'x is invalid: [spec.replicas: Invalid value: -1: must not be negative, spec.strategy: Unsupported value: "a": supported values: "b"]',
])('leaves as it is: %s', (words) => expect(maskedAnswer(words)).toBe(words))

it.each(['{"password":"hunter2', String.raw`{"password":"hunter2\n`, String.raw`{"password":"hunter2${'\\'}`])(
  'masks what was cut off: %s',
  (words) => expect(maskedAnswer(words)).toBe('{"password":"••••••'),
)

it('masks a key over several lines, also one without an end', () => {
  const begin = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
  expect(maskedAnswer(`x is invalid: ${begin}\nhunter2\nhunter2`)).toBe('x is invalid: ••••••')
})

it('takes its time by the length, not by its square', () => {
  const masked = maskedAnswer('"token":"x'.repeat(7_000))
  expect(masked).not.toContain('x')
})

it('says why all the same', () => {
  expect(maskedAnswer('spec.apiKey: Invalid value: "a": too short')).toBe(
    'spec.apiKey: Invalid value: "••••••": too short',
  )
})
