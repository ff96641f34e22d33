import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { cachedCertificate, ensureCertificate } from './keys'

useTestDatabase()
const saved = process.env.DRYDOCK_DATA_DIR
const dir = mkdtempSync(join(tmpdir(), 'drydock-keys-'))
beforeAll(() => {
  process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
  process.env.DRYDOCK_DATA_DIR = dir
})
afterAll(() => {
  if (saved === undefined) delete process.env.DRYDOCK_DATA_DIR
  else process.env.DRYDOCK_DATA_DIR = saved
  rmSync(dir, { recursive: true, force: true })
})
const leaves = () => db().gateCertificate.count({ where: { role: 'leaf' } })

test('what is kept for a start without a database is kept again where it is gone', async () => {
  const { certPem } = await ensureCertificate(['a.example'])
  const file = join(dir, 'gate-certificate.json')
  rmSync(file)
  expect((await ensureCertificate(['a.example'])).certPem).toBe(certPem)
  expect(existsSync(file)).toBe(true)
  expect(cachedCertificate(['a.example'])?.certPem).toBe(certPem)
})

test('one that a worker with a wrong clock made keeps no other from its own hosts, nor has one made at each look', async () => {
  await ensureCertificate(['a.example'])
  await db().gateCertificate.updateMany({
    where: { role: 'leaf' },
    data: { notAfter: new Date(Date.now() + 200 * 86_400_000) },
  })
  const { certPem } = await ensureCertificate(['b.example'])
  const made = await leaves()
  expect((await ensureCertificate(['b.example'])).certPem).toBe(certPem)
  expect(await leaves()).toBe(made)
})

test('one that is due is renewed for the hosts of all', async () => {
  await ensureCertificate(['a.example'])
  await ensureCertificate(['b.example'])
  await db().gateCertificate.updateMany({
    where: { role: 'leaf' },
    data: { notAfter: new Date(Date.now() + 20 * 86_400_000) },
  })
  const { certPem } = await ensureCertificate(['a.example'])
  expect((await ensureCertificate(['b.example'])).certPem).toBe(certPem)
})
