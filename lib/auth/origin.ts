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

/**
 * For a GET that leaves something behind (the export is on record): a page of somebody else's, which can make a
 * signed-in browser go anywhere, may not bring it about. Without the header it is no page: browsers set it, and no page
 * can take it away; what has the session and is no browser may ask. (Over plain HTTP to another machine browsers leave
 * it out, and nobody's session is safe there.)
 */
export function refuseForeignPage(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new ServiceError('forbidden', 'Another site’s page led here.', {
    hint: 'Open Drydock itself and repeat it there.',
  })
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
