import { createHash, timingSafeEqual } from 'node:crypto'
import { readSecrets } from '@/lib/services/clusters/secrets'
import { ServiceError } from '@/lib/services/errors'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** For so long a token that was right is right without asking the database again. Decisions are looked up each time. */
const KEPT_MS = 5_000
const kept = new Map<string, { token: Buffer; until: number }>()

/** Whether the path's token is the one of this management cluster. An unknown cluster costs the same comparison. */
export async function authenticated(clusterId: string, token: string): Promise<boolean> {
  const given = digest(token)
  const known = kept.get(clusterId)
  if (known && known.until > Date.now() && timingSafeEqual(known.token, given)) return true
  let expected = ''
  try {
    expected = (await readSecrets(clusterId)).gateToken
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'not-found')) throw error
  }
  const right = timingSafeEqual(digest(expected), given) && expected !== ''
  if (right) kept.set(clusterId, { token: given, until: Date.now() + KEPT_MS })
  else kept.delete(clusterId)
  return right
}
