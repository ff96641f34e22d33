import { expect, test } from 'vitest'
import { short } from './cluster-table'

test.each([
  [-7, '7 RHEL minor releases below the floor', '7 RHEL minor releases below the floor'],
  [-2, '2 OpenShift minor releases below the floor', '2 minor releases below the floor'],
  [1, '1 RHEL minor release above the floor', '1 RHEL minor release above the floor'],
  [0, 'at the floor’s own RHEL minor release', 'at the floor'],
])('how far from the floor says of what releases, where they are not OpenShift’s: %i, %s', (distance, words, said) =>
  expect(short(distance, words)).toBe(said),
)
