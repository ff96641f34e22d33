import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendFileSync } from 'node:fs'
import { useTestDatabase } from '@/lib/db/testing'
import { verifyAudit } from '@/lib/services/audit/verify-audit'
import { ctx } from '../suites/governing'
import { Walk } from './walk'
import { World } from './world'

useTestDatabase()

/** More of them: `WALKS=1-100 npm run test:walks`; WALKS_AT_ONCE: so many beside each other. */
const SEEDS = seedsOf(process.env.WALKS ?? '1-10')
const STEPS = Number(process.env.WALK_STEPS ?? 15)
const AT_ONCE = Number(process.env.WALKS_AT_ONCE ?? 5)
const MS_EACH = 240_000

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23)

function seedsOf(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, i) => first! + i)
  })
}

let world: World
beforeAll(async () => {
  world = await World.begin()
})
afterAll(async () => world?.stop())

test(
  `walks ${SEEDS.join(', ')}: nothing moves but by what people and policies said, and all comes to its end`,
  async () => {
    const broken: string[] = []
    const left = [...SEEDS]
    const each = async () => {
      for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
        const walk = new Walk(world, seed)
        let failed: unknown
        try {
          await walk.begin()
          await walk.go(STEPS)
        } catch (error) {
          failed = error
        } finally {
          walk.stop()
        }
        const words = [...(walk.oracle?.broken ?? []), ...(failed ? [String((failed as Error).stack)] : [])]
        const events = words.length > 0 ? (walk.recorder?.happened ?? []) : []
        const told = [
          `== seed ${seed}: ${words.length === 0 ? 'ok' : 'BROKEN'}`,
          ...walk.told,
          ...words.map((one) => `!! ${one}`),
          ...events.map((e) => `   ${clock(e.at)} ${e.what} ${e.group} ${e.machine ?? ''} ${e.was ?? ''} → ${e.key}`),
        ]
        if (process.env.WALKS_LOG) appendFileSync(process.env.WALKS_LOG, told.join('\n') + '\n')
        if (words.length > 0) broken.push(told.join('\n'))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, each))
    expect(broken.join('\n\n')).toBe('')
    expect(await verifyAudit(ctx)).toMatchObject({ ok: true })
    expect(world.errors).toEqual([])
  },
  60_000 + Math.ceil(SEEDS.length / AT_ONCE) * MS_EACH,
)
