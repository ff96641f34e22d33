import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx } from '../context'
import { exportBootImages } from './export'
import { listBootImages } from './list'
import { listImageSets } from './list-sets'
import { generateBootImages } from './testing'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'viewer' } }
const sets = (q: string) => listImageSets(viewer, { q, limit: 500 })
beforeAll(() => generateBootImages(12))

test('a set’s image is told, counted, found and taken out in the word that its date says, as that of its nodes', async () => {
  const [old] = (await sets('state:outdated')).sets
  const { id, cluster } = old!
  const is = (data: object) => db().bootImageSet.update({ where: { id }, data })
  const told = async (state: string) => {
    const { facets, sets: rows } = await sets(`cluster:${cluster}`)
    const { clusters } = await listBootImages(viewer, { q: `sets:${state} cluster:${cluster}` })
    const counts = [facets.state.find(({ value }) => value === state)?.count, clusters[0]?.sets[state]]
    const found = (await sets(`state:${state} cluster:${cluster}`)).sets.map((set) => set.id)
    return { counts, found, state: rows.find((set) => set.id === id)?.state }
  }
  const [major, minor] = old!.streamVersion!.split('.').map(Number)
  const alone = (state: string) => ({ counts: [1, 1], found: [id], state })

  await is({ dated: `${major}.${minor! - 1}.0` })
  expect(await told('outdated')).toEqual(alone('outdated'))
  await is({ dated: `${major}.${minor! + 1}.0` })
  expect(await told('newer')).toEqual(alone('newer'))
  let csv = ''
  for await (const piece of exportBootImages(viewer, { of: 'sets', as: 'csv', q: 'state:newer' }).pieces) csv += piece
  expect(csv).toContain(',newer than the release,')
  await is({ dated: '4.9.0' })
  expect(await told('below')).toEqual(alone('below'))

  await is({ state: 'unknown', dated: `${major}.${minor! - 1}.0` })
  expect(await told('outdated')).toEqual(alone('outdated'))
  await is({ dated: null })
  expect((await told('unknown')).state).toBe('unknown')
})
