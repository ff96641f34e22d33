import { latchRoleWords, WRITE_ROLE_TOO } from '@/lib/domain/access/openshift'
import { ServiceError } from '../errors'
import { mayPausePools, type LatchTarget } from './target'

type Chosen = Pick<LatchTarget, 'capabilities' | 'pools' | 'cluster'>

/** Why pools are not to be latched here, as far as the connection was checked; null: they may be, or are not to. */
export function barredWords({ capabilities, pools }: Chosen): string | null {
  if (pools !== 'same-write') return null
  const { latchOfPools, missingPermissions } = capabilities
  const lacking = latchOfPools ?? missingPermissions.filter(({ part }) => part === 'openshift-latch')
  const write = mayPausePools({ capabilities }) ? null : WRITE_ROLE_TOO
  // Events only say on a pool why it is held.
  const latch = lacking.some(({ resource }) => resource !== 'events') ? latchRoleWords(lacking) : null
  return [latch, write].filter(Boolean).join(' ') || null
}

/** What is latched Drydock has to be able to let go. That the latch itself may be written the API server says. */
export function requireLettingGo({ capabilities, pools, cluster }: Chosen): void {
  if (pools !== 'same-write' || mayPausePools({ capabilities })) return
  throw new ServiceError(
    'conflict',
    `Pools of ${cluster.name} that are latched could not be let go. ${WRITE_ROLE_TOO}`,
    {
      hint: 'Grant it, or have pools held by pausing. What Drydock may do is asked for again within minutes.',
    },
  )
}
