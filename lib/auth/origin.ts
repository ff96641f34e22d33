import { ServiceError } from '@/lib/services/errors'
import { env } from '../env'

/** Every write must come from a page of ours: a missing, `null` or foreign Origin is refused. */
export function requireOwnOrigin(headers: Headers): void {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  if (!origin || origin === 'null' || (site !== null && site !== 'same-origin') || !isOurs(origin, headers)) {
    throw new ServiceError('forbidden', 'This request did not come from a page of Drydock.', {
      hint: 'Open Drydock again and repeat it there. Behind a reverse proxy, set DRYDOCK_URL to the address that people open.',
    })
  }
}

function isOurs(origin: string, headers: Headers): boolean {
  let url: URL
  try {
    url = new URL(origin)
  } catch {
    return false
  }
  const ours = env().DRYDOCK_URL
  if (ours && url.origin === new URL(ours).origin) return true
  return /^https?:$/.test(url.protocol) && url.host === headers.get('host')
}
