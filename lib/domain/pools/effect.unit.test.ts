import { describe, expect, it } from 'vitest'
import type { ConfigChange } from './config-diff'
import { effectOf, nodeEffect, type DisruptionPolicies, type Effect } from './effect'

const change = (part: ConfigChange['part'], name: string): ConfigChange => ({
  ...{ part, name, kind: 'changed', current: null, desired: null, lines: null, note: null },
})
const registries = change('file', '/etc/containers/registries.conf')
const kubelet = change('file', '/etc/kubernetes/kubelet.conf')
const key = change('user', 'core')
const link = change('other', 'storage.links')

const policies: DisruptionPolicies = {
  files: [
    { path: '/etc/containers/registries.conf', actions: ['Special'] },
    { path: '/etc/kubernetes', actions: ['Drain', 'Restart'] },
    { path: '/etc/kubernetes/manifests/', actions: ['None'] },
    { path: '/etc/quiet', actions: [] },
    { path: '/etc/odd', actions: ['Explode'] },
  ],
  units: [{ name: 'a.service', actions: ['DaemonReload', 'Reload'] }],
  sshKey: ['None'],
}

describe('what a config does to a node', () => {
  it.each<[string, ConfigChange[], RegExp]>([
    ['what no policy names', [change('file', '/etc/x')], /^A node that takes this up is drained and rebooted\.$/],
    ['by a policy of its folder', [kubelet], /is drained, and not rebooted\.$/],
    ['by the closest of two', [change('file', '/etc/kubernetes/manifests/a.yaml')], /without drain and reboot\.$/],
    ['not by a path that only begins so', [change('file', '/etc/kubernetes2')], /rebooted\.$/],
    ['a policy of nothing', [change('file', '/etc/quiet')], /^A node takes this up without drain/],
    ['an action of a release to come', [change('file', '/etc/odd')], /drained and rebooted\.$/],
    ['a unit', [change('unit', 'a.service')], /reloading or restarting services/],
    ['another unit', [change('unit', 'b.service')], /rebooted\.$/],
    ['the worst of all', [key, registries, kubelet], /is drained, and not rebooted/],
    ['registries', [key, registries], /reloading CRI-O/],
    ['keys', [key], /^A node takes this up without drain and reboot\.$/],
    ['a kernel argument, which no policy is asked for', [key, change('kernel argument', 'nosmt')], /rebooted\.$/],
    ['an OS image', [change('value', 'osImageURL')], /drained and rebooted\.$/],
    [
      'the image of extensions',
      [change('value', 'baseOSExtensionsContainerImage')],
      /^A node takes this up without drain/,
    ],
    ['something else', [link], /^Something differs that is not compared: .*whether it is rebooted.* not known\.$/],
    ['something else as well', [key, link], /without drain and reboot\. Something differs that is not compared/],
  ])('%s', (_, changes, words) => {
    expect(effectOf(changes, policies)).toMatch(words)
  })

  it.each<[string, ConfigChange[], RegExp]>([
    ['nothing', [], /^Nothing differs in what is compared/],
    ['keys', [key], /^By default a node takes this up without drain and reboot; .* is not known\.$/],
    ['registries', [registries], /^By default a node takes this up by reloading CRI-O/],
    ['others', [kubelet], /^By default a node that takes this up is drained and rebooted; .* is not known\.$/],
  ])('without the policies of the cluster: %s', (_, changes, words) => {
    expect(effectOf(changes)).toMatch(words)
  })

  it.each<[string, Effect]>([
    ['/var/lib/kubelet/config.json', 'none'],
    ['/etc/kubernetes/kubelet-ca.crt', 'none'],
    ['/etc/mco/internal-registry-pull-secret.json', 'none'],
    ['/etc/nmstate/openshift/cluster.yml', 'none'],
    ['/etc/machine-config-daemon/no-reboot/containers-gpg.pub', 'services'],
    ['/etc/containers/policy.json', 'services'],
    ['/etc/containers/registries.d/sigstore-registries.yaml', 'services'],
    ['/etc/crio/policies/a.json', 'services'],
    ['/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt', 'services'],
    ['/etc/containers/registries.conf', 'reload'],
    ['/etc/pki/ca-trust/source/anchors/mine.crt', 'reboot'],
    ['/etc/nmstate/mine.yml', 'reboot'],
    ['/etc/kubernetes/kubelet.conf', 'reboot'],
  ])('without them, %s', (name, does) => {
    expect(nodeEffect([change('file', name)], null)).toEqual({ does, sure: false })
  })
})
