import { expect, test } from 'vitest'
import { datedWords } from './dated-words'

test.each([
  // A marketplace's name says no build number, and of a version of OpenShift only the minor release.
  ['RHCOS 9.6.20251015-0', 'azureopenshift:aro4:420-v2:9.6.20251015', 'RHCOS 9.6.20251015'],
  ['4.13.0', 'azureopenshift:aro4:aro_413:413.92.20230310', '4.13'],
  ['4.18.0', 'redhat:rh-ocp-worker:rh-ocp-worker:4.18.2025031114', '4.18'],
  ['4.22.4', 'azureopenshift:aro4:420-v2:9.6.20251015', '4.22.4'],
  [
    'RHCOS 9.6.20251015-0',
    'projects/rhcos-cloud/global/images/rhcos-9-6-20251015-0-gcp-x86-64',
    'RHCOS 9.6.20251015-0',
  ],
  ['4.16.0', 'ami-0aaaaaaaaaaaaa001', '4.16.0'],
  ['4.16.0', null, '4.16.0'],
])('%s of %s', (dated, image, words) => {
  expect(datedWords(dated, image)).toBe(words)
})
