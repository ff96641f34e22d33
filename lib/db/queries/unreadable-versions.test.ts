import fc from 'fast-check'
import { expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { workOff } from '@/lib/db/read-model/marked'
import { NODE_IMAGES } from '@/lib/db/read-model/node-images'
import { useTestDatabase } from '@/lib/db/testing'
import { versionInName } from '@/lib/domain/boot-images/version-in-name'
import { nodeImagePage } from './node-images'
import { FLEET } from './testing/node-image-statements'

useTestDatabase()

const digits = fc.oneof(
  fc.integer({ min: 0, max: 999 }).map(String),
  fc.integer({ min: 16, max: 40 }).map((n) => '9'.repeat(n)),
  fc.constantFrom('0', '00', '418', '9223372036854775808', '18446744073709551615', '202511191518', '20251119'),
)
const loose = fc.string({ unit: fc.constantFrom('4', '9', '.', '-', ' ', 'RHCOS ', 'x', '\n'), maxLength: 12 })
const version = fc.oneof(
  fc.array(fc.oneof(digits, loose), { maxLength: 5 }).map((parts) => parts.join('.')),
  fc.tuple(digits, digits, digits, digits).map(([a, b, c, d]) => `RHCOS ${a}.${b}.${c}-${d}`),
  fc.tuple(digits, digits, digits).map((parts) => parts.join('.')),
)
const rhcos = fc.oneof(fc.array(version), fc.array(version.map((one) => one.replace('RHCOS ', ''))), fc.constant({}))

test('whatever strings a cluster has, no comparison of versions fails', async () => {
  await fc.assert(
    fc.asyncProperty(version, version, version, rhcos, async (dated, ocp, rhel, released) => {
      await pool().query(
        `SELECT boot_image_below($1, $2, $3), boot_image_older($1, $2, $4::jsonb), boot_image_newer($1, $2, $4::jsonb), rhcos_place($1)`,
        [dated, ocp, rhel, JSON.stringify(released)],
      )
    }),
    { numRuns: 400 },
  )
})

test('names of images that count in numbers without an end say no version', () => {
  const long = '9'.repeat(20)
  for (const parts of [`${long}-1-20250101-0`, `9-${long}-20250101-0`, `9-8-20250101-${long}`])
    expect(versionInName(`projects/rhcos-cloud/global/images/rhcos-${parts}-gcp-x86-64`, 'GCP')).toBeNull()
  for (const parts of [`${long}.6.20251015`, `9.${long}.20251015`])
    expect(versionInName(`azureopenshift:aro4:aro_420:${parts}`, 'Azure')).toBeNull()
})

test('one cluster with such versions is judged as one that tells nothing, and stops nobody’s page', async () => {
  for (const sql of FLEET) await pool().query(sql)
  const long = '9'.repeat(30)
  await pool().query(
    `UPDATE machine SET boot_image = 'i', boot_image_version = $1 WHERE id = (SELECT id FROM machine WHERE provider = 'machine.openshift.io' LIMIT 1)`,
    [`RHCOS ${long}.1.20250101-0`],
  )
  await pool().query(`UPDATE openshift_cluster SET floor_ocp = $1, evidence = evidence || $2`, [
    `${long}.0.0`,
    JSON.stringify({ streamVersion: `4.${long}.0`, rhcos: [`${long}.6.20250101-0`] }),
  ])
  await pool().query(`UPDATE boot_image_set SET dated = $1, state = 'outdated'`, [`4.${long}.0`])
  expect(await nodeImagePage({ terms: [], words: [], sort: 'risk', descending: true }, 50)).not.toEqual([])
  while ((await workOff(pool(), NODE_IMAGES)) > 0);
  expect(await db().bootImageSet.findMany({ where: { told: { not: 'outdated' } } })).toEqual([])
})
