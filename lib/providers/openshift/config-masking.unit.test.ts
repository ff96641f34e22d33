import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '@/lib/domain/json'
import { configDiff } from '@/lib/domain/pools/config-diff'
import { readRendered } from './rendered'

/*
 * What a MachineConfig brings to a node is shown to everybody who sees the fleet. Each case is a credential as it stands in a file of a
 * real node; most of them have no form by which it could be told.
 */
const S = 'S3CR3Tvalue9'
const H = 'a3f5c9e17b2d4860a3f5c9e17b2d4860a3f5c9e1'
const K = 'yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk='
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const config = (files: Json[], more: JsonObject = {}, units: Json[] = []) =>
  readRendered({
    ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' },
    metadata: { name: 'rendered', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { config: { storage: { files }, systemd: { units } }, ...more },
  })

/** How a file can stand in Ignition; the last one says nothing of being compressed. */
const ENCODINGS: Record<string, (text: string) => JsonObject> = {
  plain: (text) => ({ source: `data:,${encodeURIComponent(text)}` }),
  base64: (text) => ({ source: `data:text/plain;charset=utf-8;base64,${base64(text)}`, compression: '' }),
  gzip: (text) => ({ source: `data:;base64,${gzipSync(text).toString('base64')}`, compression: 'gzip' }),
  'gzip, not declared': (text) => ({ source: `data:;base64,${gzipSync(text).toString('base64')}` }),
}
const file = (path: string, contents: JsonObject, mode?: number): JsonObject => ({
  ...{ path, contents },
  ...(mode !== undefined && { mode }),
})

/** Everything that is told where it comes, goes, and becomes another. */
function told(a: ReturnType<typeof config>, none: ReturnType<typeof config>, other: ReturnType<typeof config>): string {
  return JSON.stringify([configDiff(none, a), configDiff(a, none), configDiff(a, other), configDiff(other, a)])
}

const FILES: [path: string, text: string, secret: string][] = [
  ['/etc/chrony.keys', `1 SHA1 HEX:${H}\n`, H],
  ['/etc/chrony.keys', `10 ${S}\n`, S],
  ['/etc/ipsec.secrets', `%any %any : PSK "${S}"\n`, S],
  ['/etc/ipsec.d/x.secrets', `: RSA "/etc/k.pem" "${S}"\n`, S],
  ['/etc/snmp/snmpd.conf', `createUser bob SHA ${S} AES ${S}\n`, S],
  ['/etc/snmp/snmpd.conf', `rocommunity ${S} default\n`, S],
  ['/etc/snmp/snmpd.conf', `com2sec notConfigUser default ${S}\n`, S],
  ['/etc/NetworkManager/system-connections/a.nmconnection', `[wifi-security]\npsk=${S}\n`, S],
  ['/etc/NetworkManager/system-connections/a.nmconnection', `wep-key0=${S}\n`, S],
  ['/etc/NetworkManager/system-connections/a.nmconnection', `[802-1x]\nidentity=x\nprivate-key-password=${S}\n`, S],
  ['/etc/NetworkManager/system-connections/a.nmconnection', `[vpn]\nXauth password=${S}\n`, S],
  ['/etc/NetworkManager/system-connections/a.nmconnection', `[gsm]\npin=${S}\n`, S],
  ['/etc/NetworkManager/system-connections/a.nmconnection', `[macsec]\nmka-cak=${S}\n`, S],
  ['/etc/wpa_supplicant/w.conf', `network={\n psk="${S}"\n}\n`, S],
  ['/etc/wpa_supplicant/w.conf', `network={\n psk=${H}${H.slice(0, 24)}\n mka_cak=${S}\n}\n`, S],
  ['/etc/sssd/sssd.conf', `ldap_default_authtok = ${S}\n`, S],
  ['/etc/iscsi/iscsid.conf', `node.session.auth.password = ${S}\nnode.session.auth.password_in = ${S}\n`, S],
  ['/etc/wireguard/wg0.conf', `PrivateKey = ${S}=\nPresharedKey = ${S}=\n`, S],
  ['/etc/htpasswd', `admin:{SHA}${S}=\n`, S],
  ['/etc/htpasswd', `admin:$apr1$abcdefgh$${S}xx\n`, S],
  ['/etc/htpasswd', `admin:xyD0${S}\n`, S],
  ['/etc/shadow-', `core:$6$salt$${S}${S}:19000:0:99999:7:::\n`, S],
  ['/etc/gshadow', `x:${S}\n`, S],
  ['/etc/squid/passwd', `bob:${S}\n`, S],
  ['/etc/ppp/chap-secrets', `client server ${S} *\n`, S],
  ['/etc/openvpn/auth.txt', `bob\n${S}\n`, S],
  ['/root/.netrc', `machine h login bob password ${S}\n`, S],
  ['/root/.pgpass', `h:5432:db:bob:${S}\n`, S],
  ['/root/.my.cnf', `[client]\nuser=b\npassword=${S}\n`, S],
  ['/root/.git-credentials', `https://bob:${S}@github.com\n`, S],
  [
    '/root/.docker/config.json',
    `{"auths":{"quay.io":{"auth":"${Buffer.from('bob:' + S).toString('base64')}"}}}`,
    Buffer.from('bob:' + S).toString('base64'),
  ],
  [
    '/etc/containers/auth.json',
    `{"auths":{"quay.io":{"auth":"${Buffer.from('bob:' + S).toString('base64')}","email":"a@b"}}}`,
    Buffer.from('bob:' + S).toString('base64'),
  ],
  [
    '/etc/kubernetes/manifests/s.yaml',
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  foo: ${Buffer.from(S).toString('base64')}\n`,
    Buffer.from(S).toString('base64'),
  ],
  [
    '/etc/kubernetes/manifests/s.yaml',
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  foo.conf: |\n    abc ${S}\n`,
    S,
  ],
  [
    '/etc/kubernetes/kubeconfig.yaml',
    `users:\n- name: a\n  user:\n    client-key-data: ${Buffer.from('-----BEGIN RSA PRIVATE KEY-----\n' + S).toString('base64')}\n    token: ${S}\n`,
    Buffer.from('-----BEGIN RSA PRIVATE KEY-----\n' + S).toString('base64'),
  ],
  ['/etc/kubernetes/ca.crt', `-----BEGIN CERTIFICATE-----\nAAAA${S}\n-----END CERTIFICATE-----\n`, S],
  ['/etc/luks/keyfile', `${H}\n`, H],
  ['/etc/secret.conf', `${S}\n`, S],
  ['/etc/token', `${S}${H}\n`, S],
  ['/etc/mycorp/api_token', `${S}${H}\n`, S],
  ['/etc/pki/entitlement/1-key.pem', `-----BEGIN PRIVATE KEY-----\nAAA${S}\n-----END PRIVATE KEY-----\n`, S],
  [
    '/etc/profile.d/proxy.sh',
    `export HTTP_PROXY=http://user:${S}@proxy:3128\nexport https_proxy="http://user:${S}@proxy:3128"\n`,
    S,
  ],
  ['/etc/profile.d/proxy.sh', `proxy_user=bob\nproxy = user:${S}@proxy:3128\n`, S],
  ['/etc/mco/proxy.env', `HTTP_PROXY=http://user:p/${S}@proxy:3128\n`, S],
  ['/etc/mco/proxy.env', `HTTP_PROXY=http://us%40er:${S}@proxy:3128\nNO_PROXY=.a.b\n`, S],
  ['/etc/mco/proxy.env', `HTTP_PROXY=user:${S}@proxy:3128\n`, S],
  ['/etc/yum.repos.d/a.repo', `[a]\nbaseurl=https://u:${S}@h/x\nusername=u\npassword=${S}\n`, S],
  ['/etc/rhsm/facts', `activationkey=${S}\n`, S],
  ['/etc/sysconfig/rhsm', `--activationkey ${S} --org 1\n`, S],
  ['/usr/local/bin/a.sh', `echo ${S} | passwd --stdin core\n`, S],
  ['/usr/local/bin/a.sh', `curl -H "Authorization: Bearer ${S}" https://h\n`, S],
  ['/usr/local/bin/a.sh', `curl -H 'X-Api-Key: ${S}' https://h\n`, S],
  ['/usr/local/bin/a.sh', `mount -t cifs //h/x /mnt -o username=bob,password=${S}\n`, S],
  [
    '/usr/local/bin/a.sh',
    `echo "${Buffer.from('password=' + S).toString('base64')}" | base64 -d > /etc/x\n`,
    Buffer.from('password=' + S).toString('base64'),
  ],
  ['/etc/cifs.cred', `username=bob\npassword=${S}\n`, S],
  ['/etc/multus/kubeconfig.d/a', `token: ${S}`, S],
  ['/etc/tang/x.jwk', `{"alg":"ES512","d":"${S}","kty":"EC"}`, S],
  ['/etc/grub.d/user.cfg', `GRUB2_PASSWORD=grub.pbkdf2.sha512.10000.${S}\n`, S],
  ['/boot/grub2/custom.cfg', `password_pbkdf2 root grub.pbkdf2.sha512.10000.${S}.X\n`, S],
  ['/etc/audit/a.conf', `remote_key: ${S}\n`, S],
  ['/etc/rsyslog.d/a.conf', `action(type="omelasticsearch" uid="u" pwd="${S}")\n`, S],
  ['/etc/fluent.conf', `shared_key ${S}\n`, S],
  ['/etc/telegraf.conf', `  token = "${S}"\n  urls=["x"]\n`, S],
  ['/etc/zabbix/psk', `${H}\n`, H],
  ['/etc/zabbix/zabbix_agentd.psk', `${H}\n`, H],
  ['/etc/postfix/sasl_passwd', `[smtp.x]:587 bob:${S}\n`, S],
  ['/etc/ceph/ceph.client.admin.keyring', `[client.admin]\n  key = AQBg${S}==\n`, S],
  ['/etc/vault/agent.hcl', `secret_id = "${S}"\n`, S],
  ['/etc/aws/credentials', `aws_access_key_id = AKIAABCDEFGHIJKLMNOP\naws_secret_access_key = ${S}\n`, S],
  ['/etc/kubernetes/cloud.conf', `[Global]\nsecret-name = x\npassword = "${S}"\nclient-secret: ${S}\n`, S],
  ['/etc/kubernetes/cloud.conf', `{"aadClientSecret":"${S}","aadClientId":"x"}`, S],
  ['/etc/nested', base64(`password=${S}`), Buffer.from(`password=${S}`).toString('base64')],
  [
    '/etc/ignition-user-data',
    JSON.stringify({ storage: { files: [{ path: '/etc/x', contents: { source: `data:,${S}` } }] } }),
    S,
  ],
  [
    '/etc/ignition-user-data2',
    JSON.stringify({
      storage: {
        files: [{ path: '/etc/x', contents: { source: `data:;base64,${Buffer.from(S).toString('base64')}` } }],
      },
    }),
    Buffer.from(S).toString('base64'),
  ],
  ['/etc/ign', JSON.stringify({ passwd: { users: [{ name: 'core', passwordHash: `$y$j9T$abc$${S}${S}` }] } }), S],
  ['/etc/wireguard/wg0.conf', `[Interface]\nPrivateKey = ${K}\n[Peer]\nPublicKey = x\n`, K],
  ['/etc/NetworkManager/system-connections/w.nmconnection', `[wireguard]\nprivate-key=${K}\n`, K],
  ['/etc/NetworkManager/system-connections/w.nmconnection', `[wireguard-peer.x]\npreshared-key=${K}\n`, K],
  [
    '/etc/ceph/k',
    '[client.admin]\n\tkey = AQBgXm5hAAAAABAAo7Y7YVb0kq0m0yB1m1ZQ2g==\n',
    'AQBgXm5hAAAAABAAo7Y7YVb0kq0m0yB1m1ZQ2g',
  ],
  ['/etc/mco/x', 'HTTPS_PROXY=bob:hunter2@proxy.corp:3128\n', 'hunter2'],
  // Where settings are shown.
  ['/etc/crio/crio.conf.d/10-env', `[crio.runtime]\ndefault_env = ["HTTPS_PROXY=bob:${S}@proxy:3128"]\n`, S],
  ['/etc/nmstate/openshift/cluster.yml', `interfaces:\n- name: e0\n  type: macsec\n  macsec:\n    mka-cak: ${H}\n`, H],
  ['/etc/nmstate/cluster.yml', `interfaces:\n- name: e0\n  802.1x:\n    identity: a\n    x: ${S}\n`, S],
  ['/etc/NetworkManager/conf.d/a.conf', `[connection]\nwifi-sec.psk=${S}\n`, S],
  ['/etc/containers/registries.d/a.yaml', `docker:\n  a:\n    lookaside: https://bob:${S}@h/x\n`, S],
  ['/etc/sysctl.d/../shadow', `core:${S}\n`, S],
]

describe('what a config brings', () => {
  it.each(
    FILES.flatMap(([path, text, secret]) => Object.keys(ENCODINGS).map((how) => [path, how, text, secret] as const)),
  )('%s (%s) is not shown', (path, how, text, secret) => {
    const at = (content: string) => config([file(path, ENCODINGS[how]!(content))])
    const all = told(at(text), config([]), at('other\n'))
    expect(all).not.toContain(secret)
    expect(all).not.toContain(base64(secret).slice(0, 12))
    expect(all).toContain(path)
  })

  it.each([0o600, 0o400, 0o640, 0o750])('a file of mode %i is a credential, wherever it stands', (mode) => {
    const at = (text: string) => config([file('/etc/sysctl.d/a.conf', ENCODINGS.plain!(text), mode)])
    const all = told(at(S), config([]), at('x'))
    expect(all).not.toContain(S)
    expect(all).toContain('is a credential')
    expect(all).not.toContain('byte')
  })

  it('is hidden also where only one side is closed', () => {
    const open = config([file('/etc/sysctl.d/a.conf', ENCODINGS.plain!('x = 1\n'), 0o644)])
    expect(told(config([file('/etc/sysctl.d/a.conf', ENCODINGS.plain!(S), 0o600)]), config([]), open)).not.toContain(S)
  })

  it.each([
    `netroot=iscsi:bob:${S}@10.0.0.1::3260::iqn`,
    `rd.iscsi.password=${S}`,
    `rd.iscsi.in.password=${S}`,
    `rd.luks.key=${S}`,
    `rd.zfcp=${S}`,
    `coreos.inst.ignition_url=https://u:${S}@h/x`,
    `proxy=http://u:${S}@h:1`,
    `systemd.set_credential=a:${S}`,
    `systemd.setenv=FOO_TOKEN=${S}`,
    `ignition.config.url=http://h/x?token=${S}`,
  ])('kernel argument %s', (argument) => {
    const at = (...kernelArguments: string[]) => config([], { kernelArguments })
    expect(told(at(argument), at(), at('quiet'))).not.toContain(S)
    expect(told(at('quiet', argument), at(), at(argument, 'quiet'))).not.toContain(S)
  })

  it.each([
    `[Service]\nEnvironment=HTTP_PROXY=http://u:${S}@p:3128\nEnvironment="HTTPS_PROXY=http://u:${S}@p:3128"`,
    `[Service]\nEnvironment=FOO_PASS=${S}`,
    `[Service]\nSetCredential=x:${S}`,
    `[Service]\nExecStart=/bin/x --api-key ${S}`,
    `[Service]\nExecStart=/bin/sh -c "echo ${S} | podman login -u bob --password-stdin q"`,
    `[Service]\nExecStart=/usr/bin/podman login -u bob -p ${S} q`,
    `[Service]\nEnvironment=REGISTRATION_KEY=${S}`,
    `[Service]\nExecStart=/bin/x --activation-code ${S}`,
    `[Service]\nExecStart=/bin/sh \\\n  -c \\\n  ${S}`,
    `[Service]\n# the password is ${S}`,
    `[Service]\nExecStart=/bin/x\n  ${S}`,
    `[Service]\nStandardInputText=${S}`,
    `[Service]\nPassEnvironment=A\nUnsetEnvironment=${S}`,
    `[Unit]\nConditionEnvironment=A=${S}`,
    `[Mount]\nWhat=//h/x\nOptions=username=bob,password=${S}`,
  ])('unit %s', (contents) => {
    const at = (of: string, how: 'contents' | 'dropins') =>
      config([], {}, [
        {
          name: 'a.service',
          ...(how === 'contents' ? { contents: of } : { dropins: [{ name: '10-a.conf', contents: of }] }),
        },
      ])
    for (const how of ['contents', 'dropins'] as const) {
      const all = told(at(contents, how), config([]), at('[Service]\nType=oneshot', how))
      expect(all).not.toContain(S)
      expect(all).toContain('a.service')
    }
  })

  it('tells its settings', () => {
    const shown: [path: string, text: string][] = [
      ['/etc/kubernetes/kubelet.conf', 'maxPods: 350'],
      ['/etc/containers/registries.conf', 'unqualified-search-registries = ["quay.io"]'],
      ['/etc/containers/registries.conf.d/a.conf', 'location = "mirror.example.com"'],
      ['/etc/containers/policy.json', '{"default":[{"type":"insecureAcceptAnything"}]}'],
      ['/etc/crio/crio.conf.d/00-default', 'pids_limit = 4096'],
      ['/etc/sysctl.d/a.conf', 'net.core.somaxconn = 4096'],
      ['/etc/chrony.conf', 'pool ntp.example.com iburst'],
      ['/etc/nmstate/openshift/cluster.yml', 'mtu: 9000'],
    ]
    for (const [path, text] of shown)
      for (const encode of [ENCODINGS.plain!, ENCODINGS.base64!, ENCODINGS.gzip!]) {
        const { changes } = configDiff(config([]), config([file(path, encode(text), 0o644)]))
        expect(changes[0]?.lines).toContainEqual({ sign: '+', text })
      }
    const unit = (contents: string) => config([], {}, [{ name: 'a.service', contents }])
    const [change] = configDiff(
      unit(`[Service]\nType=simple\nExecStart=/usr/bin/kubelet --token ${S}\n`),
      unit(`[Service]\nType=notify\nExecStart=/usr/bin/kubelet --token ${H}\n`),
    ).changes
    expect(change?.lines).toEqual([
      { sign: ' ', text: '[Service]' },
      { sign: '-', text: 'Type=simple' },
      { sign: '+', text: 'Type=notify' },
      { sign: ' ', text: 'ExecStart=/usr/bin/kubelet ••••••' },
    ])
    expect(change?.note).toBe('What is masked differs: ExecStart.')
    const { changes } = configDiff(
      config([]),
      config([], { kernelArguments: ['nosmt', 'hugepages=16', 'rd.luks.key=/k'] }),
    )
    expect(changes.map(({ name }) => name)).toEqual(['nosmt', 'hugepages=16', 'rd.luks.key=••••••'])
  })

  it('tells of what it does not show how long it is', () => {
    const at = (text: string) => config([file('/etc/zabbix/psk', ENCODINGS.gzip!(text))])
    const note = (a: ReturnType<typeof config>, b: ReturnType<typeof config>) => configDiff(a, b).changes[0]?.note
    expect(note(config([]), at('x'))).toBe('Its content may hold secrets and is not shown: 1 byte.')
    expect(note(at('abc'), at('abcd'))).toBe('Its content may hold secrets and is not shown: 3 bytes become 4 bytes.')
    expect(note(at('abc'), at('abd'))).toBe('Its content may hold secrets and is not shown: 3 bytes.')
  })
})
