import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { db, type Tx } from '@/lib/db/client'
import type { GateCertificate } from '@/lib/db/generated/client'
import { seal, unseal } from '@/lib/seal'
import { DAY, makeAuthority, makeLeaf, type Pair } from './certificates'
import type { Material } from './server'

/** One worker makes certificates at a time; the others find them. */
const LOCK = 7_207_002
/** A leaf is renewed with a third of its life left; an authority a year before its end, so that both are trusted meanwhile. */
const RENEW_LEAF_MS = 30 * DAY
const RENEW_CA_MS = 365 * DAY

const aad = (id: string): string => `gate-certificate:${id}`
const open = (row: GateCertificate): Pair => ({
  ...row,
  keyPem: unseal({ sealed: row.sealedKey, keyId: row.keyId }, aad(row.id)),
})

async function store(tx: Tx, role: 'ca' | 'leaf', pair: Pair, hosts: string[]): Promise<GateCertificate> {
  const id = randomUUID()
  const { sealed, keyId } = seal(pair.keyPem, aad(id))
  const { certPem, notBefore, notAfter } = pair
  return tx.gateCertificate.create({
    data: { id, role, certPem, sealedKey: sealed, keyId, hosts, notBefore, notAfter },
  })
}

const serves = (row: { hosts: string[]; notAfter: Date }, hosts: string[]): boolean =>
  row.notAfter.getTime() - Date.now() > RENEW_LEAF_MS && hosts.every((host) => row.hosts.includes(host))

/** The certificate that all workers serve; made, renewed or extended by hosts where needed. Keys are sealed. */
export async function ensureCertificate(hosts: string[]): Promise<Material> {
  const material = await db().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
    const newest = (role: string) => tx.gateCertificate.findFirst({ where: { role }, orderBy: { notAfter: 'desc' } })
    let authority = await newest('ca')
    if (!authority || authority.notAfter.getTime() - Date.now() < RENEW_CA_MS) {
      await store(tx, 'ca', await makeAuthority(), [])
      // The old one goes on signing until registrations have learned of the new one.
      authority ??= await newest('ca')
    }
    // By a clock that is wrong the newest may not be the one that was made last.
    const leaves = await tx.gateCertificate.findMany({ where: { role: 'leaf' }, orderBy: { notAfter: 'desc' } })
    let leaf = leaves.find((row) => serves(row, hosts))
    if (!leaf) {
      const all = [...new Set([...hosts, ...leaves.flatMap((row) => row.hosts)])]
      leaf = await store(tx, 'leaf', await makeLeaf(await signer(tx), all), all)
    }
    await tx.gateCertificate.deleteMany({ where: { notAfter: { lt: new Date() } } })
    return { ...open(leaf), hosts: leaf.hosts }
  })
  writeCache(material)
  return { certPem: material.certPem, keyPem: material.keyPem }
}

/** The oldest authority that is still good for a leaf's whole life: everybody who registered trusts it. */
async function signer(tx: Tx): Promise<Pair> {
  const row = await tx.gateCertificate.findFirst({
    where: { role: 'ca', notAfter: { gt: new Date(Date.now() + 120 * DAY) } },
    orderBy: { notBefore: 'asc' },
  })
  if (!row) throw new Error('There is no certificate authority for the update gate.')
  return open(row)
}

const cacheFile = (): string => join(process.env.DRYDOCK_DATA_DIR ?? '.drydock', 'gate-certificate.json')
const CACHE_AAD = 'gate-certificate-cache'

/** What was written last, and where. */
let written = ''

function writeCache(material: Material & { hosts: string[]; notAfter: Date }): void {
  const file = cacheFile()
  if (written === `${file} ${material.certPem}` && existsSync(file)) return
  const { sealed, keyId } = seal(JSON.stringify(material), CACHE_AAD)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const fresh = `${file}.${process.pid}`
    writeFileSync(fresh, JSON.stringify({ keyId, sealed: Buffer.from(sealed).toString('base64') }), { mode: 0o600 })
    renameSync(fresh, file)
    written = `${file} ${material.certPem}`
  } catch {
    // A read-only data directory only means that a start needs the database.
  }
}

/** What was served last, so that the gate answers discovery before there is a database. Null: nothing usable is kept. */
export function cachedCertificate(hosts: string[]): Material | null {
  try {
    const stored = JSON.parse(readFileSync(cacheFile(), 'utf8')) as { keyId: string; sealed: string }
    const sealed = new Uint8Array(Buffer.from(stored.sealed, 'base64'))
    const kept = JSON.parse(unseal({ sealed, keyId: stored.keyId }, CACHE_AAD)) as Material & {
      hosts: string[]
      notAfter: string
    }
    const good = new Date(kept.notAfter) > new Date() && hosts.every((host) => kept.hosts.includes(host))
    return good ? { certPem: kept.certPem, keyPem: kept.keyPem } : null
  } catch {
    return null
  }
}
