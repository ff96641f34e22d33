import { expect, test } from 'vitest'
import { inShort } from './in-short'

const LONG = 'GET apis/cluster.x-k8s.io/v1beta2/namespaces/search/machines/w-1 answered 404 '.repeat(3)

test.each([
  ['w-1: a disruption budget keeps db-0 on its node.', 'w-1: a disruption budget keeps db-0 on its node.'],
  [`w-1: The updater x answered HTTP 500: {"message":"${LONG}"}.`, 'w-1: The updater x answered HTTP 500…'],
  [`w-1: It failed in the middle. ${LONG}`, 'w-1: It failed in the middle…'],
  [
    `w-1: {"message": "all of its disks are full"}: ${'x '.repeat(80)}`,
    `w-1: {"message": "all of its disks are full"}:${' x'.repeat(57)}…`,
  ],
  ['word '.repeat(40).trim(), `${'word '.repeat(31).trim()} word…`],
  ['x'.repeat(200), `${'x'.repeat(80)}…`],
])('%s', (text, short) => expect(inShort(text)).toBe(short))
