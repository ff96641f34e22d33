import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EXAMPLES } from '../errors/testing'
import { MASK, redacted, safeText, secretIn, withoutSecrets } from './secrets'

// Nothing in it tells by its form.
const S = 'Hunter2x'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const begin = ['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' ')
const jwt = ['eyJhbGciOi', 'abc', 'def'].join('.')

test.each([
  ...[`export AWS_SECRET_ACCESS_KEY=${S}`, `API_KEY=${S}`, `client_secret=${S}&x=1`, `spec.a.token = ${S}`],
  ...[`http://user:${S}@proxy:3128`, `https://u:a/b${S}@h/`, `https://u:a@b${S}@h/`, `x?a=1&sig=${S}`],
  ...[`curl -u admin:${S} https://x`, `curl --user "admin:${S} a" x`, `curl -H "X-Api-Key: ${S}" https://x`],
  ...[`mount -t cifs -o username=u,pass=${S} //x /y`, `register --activationkey=${S} --org=1`],
  ...[`echo ${S} | passwd --stdin root`, `chpasswd <<< root:${S}`, `echo root:${S} | sudo chpasswd`],
  ...[`sshpass -p ${S} ssh x`, `sshpass -p'${S}' ssh x`, `useradd -m -p ${S} u`, `mysql -u root -p${S} db`],
  ...[`wget --http-password=${S}`, `wget --password ${S}`, `x --token ${S}`, `x --some-password "a ${S}"`],
  ...[`Authorization: Bearer ${S}`, `curl -H "Authorization: Basic ${base64(`u:${S}`)}"`, `a Bearer ${S}`],
  ...[`Authorization: Digest user="a", response="${S}"`, `Basic ${base64(`user:${S}`)}`, `authorization = ${S}`],
  ...[`PASSWORD="two ${S}"`, `PASSWORD='two ${S}'`, `token: ${S}`, `secret = ${S}`, `password:${S}`, `API key: ${S}`],
  ...[`{"password":"${S}"}`, `{\\"password\\":\\"${S}\\"}`, `{"tokens":["a","${S}"]}`, `{"password":"${S}`],
  ...[`{"password":"a\\"${S}"}`, `{"credentials":{"a":{"b":1},"c":"${S}"}}`, `{"authorization":"Bearer ${S}"}`],
  ...[
    `password: |\n  one\n  ${S}\nuser: a`,
    `passphrase: horse ${S}`,
    `tokens:\n  - a\n  - ${S}\n`,
    `token:\n  ${S}\n`,
  ],
  ...[`- name: DB_PASSWORD\n  value: ${S}`, `{"name":"X_TOKEN","value":"${S}"}`, `{Name:DB_PASSWORD Value:${S}}`],
  ...[`map[password:${S} user:a]`, `<password>${S}</password>`, `env['PASSWORD']='${S}'`, `password => "${S}"`],
  ...[`using password: ${S}, refused`, `AKIAABCDEFGHIJKLMNOP ${S}${'a'.repeat(32)}`, `data:text/plain;base64,${S}`],
  ...[
    `$6$salt$${S}aaaa`,
    `sha256~${S.repeat(4)}`,
    `ghp_${S.repeat(4)}`,
    `${jwt}${S}`,
    `abcdef.${S.toLowerCase()}abcdefgh`,
  ],
  ...[`docker login -u a -p ${S} r.io`, `machine h login a password ${S}`, `--from-literal=pin=${S}`],
  ...[`ConvertTo-SecureString "${S}" -AsPlainText`, `the password "${S}" is wrong`, `-H "X-Auth-Token: two ${S}" x`],
  ...[`aws configure set aws_secret_access_key ${S}`, `setenv DB_PASSWORD ${S}`, `-H 'Cookie: a=b; c=${S}' x`],
  ...[`https://${S.repeat(3)}@host/x`, `//r.io/:_authToken=${S}`, base64(`{"auths":{"a":{"auth":"${S}"}}}`)],
  ...[
    `REDISCLI_AUTH=${S}`,
    `passphrase: must be ${S}`,
    `PASSWORD='a'"${S}"`,
    `x: spec.token: Invalid value: "${S}": no`,
  ],
  ...[`${begin}\n${S}\n`, base64(`${begin}\n${S}`)],
])('masked: %s', (text) => {
  for (const told of [withoutSecrets(text), safeText(text), JSON.stringify(redacted({ a: [text] }))]) {
    for (const secret of [S, S.toLowerCase(), base64(`u:${S}`)]) expect(told).not.toContain(secret)
    expect(told).toContain(MASK)
  }
  expect(secretIn({ run: text })).toBe(true)
})

const LEFT = `systemctl restart containerd
kubeadm join --config /run/kubeadm.yaml
kubeadm token create
docker run -u 1000:1000 a
docker login
ssh -p 22 a@host
ssh://git@host/a
https://proxy.golang.org:443/a/@v/list
https://registry.k8s.io/pause:3.10
wget -U https://x
tee /etc/token
adduser --disabled-password --gecos a
kubectl config set-context --current --namespace=a
--authorization-mode=Node,RBAC
--token-ttl=2h
--service-account-signing-key-file=/etc/a
--discovery-token-ca-cert-hash sha256:abcdef
--feature-gates=ServiceAccountTokenJTI=true,KubeletEnsureSecretPulledImages=false
secretName: a
sha256:abcdef
password: null
token: ""
token:
basic authentication is off
Basic LoadBalancer
bearer authentication
spec.token: Required value
failed to get secret: Secret "a" not found
secret: Forbidden
secrets "a" is forbidden
bootstrap token: context deadline exceeded
cannot get resource "secrets" in API group ""`

test.each([...LEFT.split('\n'), ...EXAMPLES.map(([, { message }]) => message)])('left as it is: %s', (text) =>
  expect(withoutSecrets(text)).toBe(text),
)

test.each([
  [`x http://u:${S}@h:80/p y`, `x http://${MASK}@h:80/p y`],
  [`A=1 DB_PASSWORD=${S} B=2`, `A=1 DB_PASSWORD=${MASK} B=2`],
  [`{"password":"${S}","user":"a"}`, `{"password":"${MASK}","user":"a"}`],
  [`curl -H "Authorization: Bearer ${S}" https://x`, `curl -H "Authorization: ${MASK}" https://x`],
])('what is beside it stays: %s', (text, told) => expect(withoutSecrets(text)).toBe(told))

test('the time it takes grows with the length, whatever is in the text', () => {
  const pieces = fc.constantFrom(
    ...[
      'a=',
      'token',
      'token:',
      'token: a ',
      '"token":"x',
      '://a:',
      '://',
      'eyJ',
      'eyJ-',
      '-----BEGIN ',
      '\\',
      '"',
      'a1',
    ],
    ...[
      'token="',
      'token=[',
      'token={',
      'aA',
      '1',
      '_',
      'password_',
      ' ',
      '\n',
      'token:\n',
      'token:\n- ',
      'token: |\n',
      '&',
    ],
    ...[
      'sshpass -p ',
      'useradd ',
      'mysql ',
      '|',
      'echo |',
      'Basic AAAA',
      'Bearer ',
      'data:',
      'data:;a',
      '?sig',
      'curl -u ',
    ],
    ...[
      'name: x_token value',
      'name: token ',
      '<token>',
      '$6$',
      'AKIAAAAAAAAAAAAAAAAA ',
      'Invalid value: ',
      ...['login ', 'login a password ', '--from-literal=a', 'password "', ' set -x token', 'ConvertTo-SecureString '],
      '.',
      ' -u',
      '[',
    ],
    ...[
      'token: Invalid value: "',
      '--token ',
      'xoxb-',
      'LS0tLS1CRUdJTiB',
      '=',
      ':',
      'authorization:',
      'chpasswd <',
      'passwd ',
    ],
  )
  const tail = fc.constantFrom('', '!', '@', ' chpasswd', ' -p', ' https://a:b@c passwd password=x')
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 3 }), tail, (parts, end) => {
      const text = parts.join('').repeat(Math.ceil(200_000 / parts.join('').length)) + end
      const before = process.cpuUsage()
      withoutSecrets(text)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(1_000)
    }),
    { numRuns: 80 },
  )
}, 120_000)
