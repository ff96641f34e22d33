import { expect, test } from 'vitest'
import type { ConfigChange } from './config-diff'
import { configWords, shortConfig } from './config-words'
import { effectOf } from './effect'

const change = (part: ConfigChange['part'], name: string): ConfigChange => ({
  ...{ part, name, kind: 'changed', current: null, desired: null, lines: null, note: null },
})
const DIGEST = '3f9a1c2e4b5d60718293a4b5c6d7e8f9'
const config = (release: string | null, name = `rendered-worker-${DIGEST}`) => ({ name, release })
const OS = change('value', 'osImageURL')
const [MOTD, CHRONY] = [change('file', '/etc/motd'), change('file', '/etc/chrony.conf')]
const KERNEL = [change('kernel argument', 'nosmt'), change('kernel argument', 'quiet')]

test.each<[string, [string | null, string | null], ConfigChange[] | null, string]>([
  ['of an update', ['4.19.3', '4.19.5'], [OS], 'OS image 4.19.3 → 4.19.5'],
  [
    'the extensions of an OS image come with it',
    ['4.19.3', '4.19.5'],
    [OS, change('value', 'baseOSExtensionsContainerImage'), MOTD, CHRONY],
    'OS image 4.19.3 → 4.19.5 and 2 files',
  ],
  ['a release that brings no OS image', ['4.19.3', '4.19.5'], [MOTD, CHRONY], 'release 4.19.3 → 4.19.5 and 2 files'],
  ['of a release nobody knows', [null, '4.19.5'], [OS], 'OS image unknown → 4.19.5'],
  ['an image of the same release', ['4.19.3', '4.19.3'], [OS], 'another OS image'],
  [
    'all kinds, each in one word',
    ['4.19.3', '4.19.3'],
    [
      ...[change('value', 'kernelType'), change('value', 'fips'), MOTD, CHRONY, change('unit', 'kubelet.service')],
      ...[change('extension', 'usbguard'), ...KERNEL, change('user', 'core'), change('other', 'storage.disks')],
    ],
    'kernel type, FIPS mode, 2 files, 1 unit, 1 extension, kernel arguments, how users sign in and 1 part that is not compared',
  ],
  ['one file alone, by its name', ['4.19.3', '4.19.3'], [MOTD], 'file /etc/motd'],
  ['one unit alone', ['4.19.3', '4.19.3'], [change('unit', 'kubelet.service')], 'unit kubelet.service'],
  ['kernel arguments alone', [null, null], KERNEL, 'kernel arguments'],
  ['what cannot be read', [null, null], null, 'configuration 3f9a1c2e'],
  ['what cannot be compared, of a known release', [null, '4.19.5'], null, 'configuration 3f9a1c2e of 4.19.5'],
  ['made anew', ['4.19.5', '4.19.5'], [], 'configuration 3f9a1c2e, in which nothing that is compared differs'],
])('%s', (_, [from, to], changes, words) => {
  const diff = changes && { changes, effect: effectOf(changes) }
  expect(configWords(config(from, 'rendered-worker-0'), config(to), diff)).toBe(words)
})

test('what has no digest keeps its name', () => {
  expect(shortConfig('rendered-worker-next')).toBe('configuration rendered-worker-next')
})
