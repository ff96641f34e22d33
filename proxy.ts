import { NextResponse, type NextRequest } from 'next/server'

/**
 * Sends people without a session cookie to the sign-in page, and sets the security headers. It protects nothing by
 * itself: every page, action, route handler and stream loads its session.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')
  const csp = policy(nonce)
  const { pathname, search } = request.nextUrl
  const open = pathname.startsWith('/sign-in') || pathname.startsWith('/api/')
  if (!open && !request.cookies.getAll().some(({ name }) => name.endsWith('drydock.session_token'))) {
    const to = new URL('/sign-in', request.url)
    if (pathname !== '/') to.searchParams.set('next', pathname + search)
    return secured(NextResponse.redirect(to), csp)
  }
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  headers.set('content-security-policy', csp) // Next reads the nonce for its own scripts from here
  return secured(NextResponse.next({ request: { headers } }), csp)
}

function policy(nonce: string): string {
  const dev = process.env.NODE_ENV === 'development'
  return [
    `default-src 'self'`,
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? ` 'unsafe-eval'` : ''}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'${dev ? ' ws:' : ''}`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

function secured(response: NextResponse, csp: string): NextResponse {
  const headers = {
    'content-security-policy': csp,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    ...(process.env.DRYDOCK_URL?.startsWith('https://') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

export const config = { matcher: ['/((?!_next/static|_next/image|icon.svg|favicon.ico).*)'] }
