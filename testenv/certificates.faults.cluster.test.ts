import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { valueAt } from '@/lib/domain/changes'
import { EXTENSION_CONFIG } from '@/lib/domain/latch/names'
import { LONG, useField } from './faults/field'
import { until } from './process'
import { EXTENSIONS } from './suites/watching'

const DAY = 86_400_000

/** The gate's certificate and its authority become due: no question of the managers is refused for a moment. */
describe('certificates on the real managers', () => {
  const f = useField()

  const served = () =>
    new Promise<string>((resolve, reject) => {
      const { hostname: host, port } = new URL(f.drydock.gateUrl)
      const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.end()
      })
      socket.on('error', reject)
    })
  const trusted = async () => {
    const { spec } = await f.cluster.admin.get(EXTENSIONS, EXTENSION_CONFIG)
    const pem = Buffer.from(String(valueAt(spec, 'clientConfig', 'caBundle')), 'base64').toString()
    return pem.match(/BEGIN CERTIFICATE/g)!.length
  }
  /** As if time had passed: both are renewed at their next look. */
  const due = async () => {
    const before = await served()
    const soon = (days: number) => ({ notAfter: new Date(Date.now() + days * DAY) })
    await db().gateCertificate.updateMany({ where: { role: 'leaf' }, data: soon(20) })
    await db().gateCertificate.updateMany({ where: { role: 'ca' }, data: soon(200) })
    return () => until('another certificate', async () => (await served()) !== before, { ms: 90_000, every: 100 })
  }
  const complaints = () =>
    readFileSync(f.cluster.managerLog, 'utf8')
      .split('\n')
      .filter((line) => /x509|tls: /.test(line) && line.includes(new URL(f.drydock.gateUrl).host))

  test(
    'renewed with a change held, then with a rollout half done: nothing moves unasked, and no question fails for it',
    async () => {
      const to = f.next()
      await f.changeAll(to)
      const before = (await f.waiting(to)).map((change) => change.id)
      const renewed = await due()
      await Promise.all([f.nothingMoves(), renewed()])
      await until('the registration to know the new authority', async () => (await trusted()) > 1, { ms: 150_000 })
      await f.nudge()
      await f.nothingMoves()
      expect((await f.waiting(to)).map((change) => change.id)).toEqual(before)

      await f.approveBoth(to)
      await f.underWay(to, { controlPlane: true, workers: true })
      const again = await due()
      await f.onlyWhatWasApproved(to, false)
      await again()
      await f.bothInPlaceDone(to)
      await f.revertSurging()
      expect(complaints()).toEqual([])
    },
    LONG,
  )
})
