import type { Prisma } from '@/lib/db/generated/client'
import type { HullData } from '@/lib/domain/hull'
import { may, type Ctx } from '../context'
import type { ChangeDto } from '../changes/change-row'
import type { Need } from './needs-you'

/** Under way, with machines that remediation deleted, and nobody has it skipped for the rest (or the API server refuses that). */
export const REMEDIATED = {
  state: { in: ['approved', 'running'] },
  outcome: { path: ['remediated'], gt: 0 },
  OR: [{ skipsAt: null }, { skipsRefused: { not: null } }],
  // Of what goes replacing, none is updated where it stands.
  decisions: { some: { mode: 'in-place', state: { in: ['accepted', 'seen'] } } },
} satisfies Prisma.ChangeWhereInput

/** It goes on by itself, and takes machines away that were to stay. */
export function remediationNeed({ actor }: Ctx, c: ChangeDto, where: string, hull: HullData | null): Need {
  const n = c.outcome?.remediated ?? 0
  const mine = may(actor.role, 'changes:approve')
  return {
    ...{ kind: 'remediated', id: c.id, where, hull, held: false, since: c.startedAt },
    sentence: `Approved in place, and ${n} of its ${c.machines} ${c.machines === 1 ? 'machine' : 'machines'} ${n === 1 ? 'was' : 'were'} deleted by remediation`,
    detail: `${c.summary}: ${mine ? 'skip remediation for the rest, or pause it' : 'somebody with the role approver has remediation skipped for the rest, or pauses it'}`,
    action: { label: mine ? 'Skip it, or pause' : 'Review', href: `/updates/${c.id}` },
  }
}
