import type { JsonObject } from '../../lib/domain/json'

const plain = (text: string): string => `data:,${encodeURIComponent(text)}`
const base64 = (text: string): string => `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`

/** What a rendered config of the sandbox holds: from round to round a little of it differs, as after somebody's change. */
export function renderedSpec(release: string, round: number): JsonObject {
  const file = (path: string, source: string, mode = 420): JsonObject => ({
    path,
    mode,
    overwrite: true,
    contents: { source, compression: '' },
  })
  return {
    osImageURL: `quay.io/example/rhcos@sha256:${release.replaceAll('.', '').padStart(64, '0')}`,
    kernelType: 'default',
    fips: false,
    extensions: [],
    kernelArguments: ['systemd.unified_cgroup_hierarchy=1', ...(round % 3 === 0 ? ['nosmt'] : [])],
    config: {
      ignition: { version: '3.5.0' },
      passwd: {
        users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample core@example'] }],
      },
      storage: {
        files: [
          file('/etc/chrony.conf', plain(chrony(round))),
          file('/etc/kubernetes/kubelet.conf', base64(kubelet(round))),
          file('/etc/sysctl.d/90-net.conf', plain(`net.core.somaxconn = ${round % 2 === 0 ? 4096 : 1024}\n`)),
          file('/var/lib/kubelet/config.json', base64(`{"auths":{"quay.io":{"auth":"cHVsbDoke${round}"}}}`), 384),
        ],
      },
      systemd: {
        units: [
          { name: 'kubelet.service', enabled: true, contents: '[Service]\nExecStart=/usr/bin/kubelet\n' },
          ...(round % 4 === 0
            ? [{ name: 'tuned-cpu.service', enabled: true, contents: '[Service]\nExecStart=/usr/bin/tuned\n' }]
            : []),
        ],
      },
    },
  }
}

const chrony = (round: number): string =>
  `pool ntp${round % 2}.example.com iburst\ndriftfile /var/lib/chrony/drift\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n`

const kubelet = (round: number): string =>
  `kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nmaxPods: ${round % 3 === 0 ? 350 : 250}\nsystemReserved:\n  memory: 1Gi\n`
