import { createHash, timingSafeEqual } from 'node:crypto'
import { readSecrets } from '@/lib/services/clusters/secrets'
import { ServiceError } from '@/lib/services/errors'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether the path's token is the one of this management cluster. An unknown cluster costs the same comparison. */
export async function authenticated(clusterId: string, token: string): Promise<boolean> {
  let expected = ''
  try {
    expected = (await readSecrets(clusterId)).gateToken
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'not-found')) throw error
  }
  return timingSafeEqual(digest(expected), digest(token)) && expected !== ''
}
