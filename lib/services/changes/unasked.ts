import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { byItself, type Resolved } from '@/lib/domain/policies'
import type { ChangeDto } from './change-row'
import { isForPeople } from './for-people'
import { wasByItself } from './give-approval'
import { planeRisks } from './plane'

/** Of a change that its policy asks nobody about: whether it goes by itself when its time comes, or why not. */
export type Unasked = { goes: true; why: null } | { goes: false; why: string }

type Asked = Pick<ChangeDto, 'id' | 'state' | 'heldBy' | 'groupKind' | 'outlook' | 'dueMode'>

const GOES: Unasked = { goes: true, why: null }

/** Null: its policy asks for approvals, or it is not held. Asks by the very rules by which it is let go. */
export async function unaskedOf(change: Asked, rules: Resolved): Promise<Unasked | null> {
  const { id, state, heldBy, groupKind, outlook, dueMode } = change
  if (rules.approvals.value > 0 || (state !== 'waiting' && !dueMode)) return null
  const asks = (why: string): Unasked => ({ goes: false, why })
  const { way, why } = byItself(rules, outlook, groupKind)
  if (way === null) return asks(why)
  // Stopped in the middle by its times, it goes on as it began.
  if (dueMode) return dueMode === way && (await wasByItself(db(), id)) ? GOES : null
  if (!['latch', 'gate', 'hook'].includes(heldBy)) return asks('Drydock does not hold it.')
  const row = await db().change.findFirst({
    where: { id, outcome: { equals: Prisma.AnyNull }, progress: { none: { startedAt: { not: null } } } },
    select: {
      ...{ id: true, clusterId: true, groupId: true, groupKind: true, groupName: true, namespace: true, digest: true },
    },
  })
  if (!row) return asks('What was under way before is for people.')
  if (await isForPeople(row)) return asks(PEOPLE)
  const [risk] = await planeRisks(db(), row, way)
  return risk ? asks(`Somebody has to look: ${risk}`) : GOES
}

const PEOPLE = 'This very state was decided on before, or let go past Drydock: from then on it is for people.'
