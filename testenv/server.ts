import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@/lib/free-port'
import { startProcess, type RunningProcess } from './process'

const AUDIT_POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n'

export async function startEtcd(bin: string, dir: string): Promise<{ url: string; process: RunningProcess }> {
  const url = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const args = [
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    `--quota-backend-bytes=${8 * 2 ** 30}`,
  ]
  return { url, process: startProcess('etcd', join(bin, 'etcd'), args, join(dir, 'etcd.log')) }
}

export function startApiServer(bin: string, dir: string, etcdUrl: string, port: number): RunningProcess {
  const pki = join(dir, 'pki')
  const policy = join(dir, 'audit-policy.yaml')
  writeFileSync(policy, AUDIT_POLICY)
  const args = [
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--tls-cert-file=${join(pki, 'tls.crt')}`,
    `--tls-private-key-file=${join(pki, 'tls.key')}`,
    `--cert-dir=${pki}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${join(pki, 'sa.key')}`,
    `--service-account-key-file=${join(pki, 'sa.pub')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--token-auth-file=${join(pki, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${join(dir, 'audit.log')}`,
  ]
  return startProcess('kube-apiserver', join(bin, 'kube-apiserver'), args, join(dir, 'kube-apiserver.log'))
}
