import { expect, test } from 'vitest'
import { isSurelyOther } from './answered'
import type { ApprovedPair } from './approved-pairs'

const pair = (...changes: [object: string, path: string, desired: string][]) =>
  [{ from: 'a', fingerprint: 'f', changes: changes.map(([object, path, desired]) => ({ object, path, desired })) }] as unknown as ApprovedPair[] // prettier-ignore
const version = (v: string) => pair(['machine', 'version', v])
const template = (name: string, ami: string) =>
  pair(['machine', 'infrastructureRef.name', name], ['infrastructure', 'ami', ami])

test.each([
  ['another version', version('v2'), version('v3'), true],
  ['the same version', version('v2'), version('v2'), false],
  ['another template that says something else', template('a', '1'), template('b', '2'), true],
  ['another template that says the same', template('a', '1'), template('b', '1'), false],
  ['the same template, edited where it stands', template('a', '1'), template('a', '2'), false],
  ['fields of which the other says nothing', version('v2'), template('a', '1'), false],
])('%s', (_, one, other, expected) => expect(isSurelyOther(one, other)).toBe(expected))
