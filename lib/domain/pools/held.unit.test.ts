import { describe, expect, it } from 'vitest'
import { pausedWarning, suspendedPool, wayOut } from './held'

describe('what takes the risk of a pause away', () => {
  it.each([
    // What was rejected is not approved: the other way out.
    [true, true, 'approve its configuration, or have what it brings written back,'],
    [true, false, 'its configuration is approved, and has to go'],
    [false, true, 'approve its configuration and resume the pool'],
    [false, false, 'resume the pool'],
  ])('held by Drydock: %s, an approval is missing: %s', (ours, asks, way) => {
    expect(wayOut({ ours, asks })).toBe(way)
  })
})

it('calls somebody’s own pause, which nothing of Drydock holds besides, no hold', () => {
  const certificates = [{ bundle: 'b', subject: 'CN=signer', expiry: '2026-12-01T00:00:00Z' }]
  const said = (asks: boolean) => suspendedPool(certificates, Date.parse('2026-11-10'), { ours: false, asks })[0]
  expect(said(false)).toMatch(/From 2026-11-17 on this pause is called dangerous\.$/)
  expect(said(true)).toMatch(/this hold is called dangerous\.$/)
})

it('says from when on a hold is called dangerous, and of a day gone by since when', () => {
  const held = (day: string) => {
    const certificates = [{ bundle: 'b', subject: 'CN=signer', expiry: '2026-12-01T00:00:00Z' }]
    return suspendedPool(certificates, Date.parse(day), { ours: true, asks: true })[0]
  }
  expect(held('2026-11-10')).toMatch(/From 2026-11-17 on this hold is called dangerous\.$/)
  expect(held('2026-11-26')).toMatch(/Since 2026-11-17 this hold is called dangerous\.$/)
  expect(held('2026-12-03')).toMatch(/^The certificate signer expired on 2026-12-01\. .* Since 2026-11-17 this hold/)
})
const NOW = Date.parse('2026-11-29T00:00:00Z')
it.each([
  [3, /^That is dangerous: the first certificate .* expires on 2026-12-02, in 3 days,/],
  [-1, /^That is dangerous: the certificate .* expired on 2026-11-28\./],
  [300, /^The first certificate /],
])('paused, %s days before a certificate expires, it is called dangerous only near that', (days, words) => {
  const expiry = new Date(NOW + days * 86_400_000).toISOString()
  const certificates = [{ bundle: 'kube', subject: 'CN=signer', expiry }] as never as Parameters<
    typeof pausedWarning
  >[0]
  expect(pausedWarning(certificates, NOW, { ours: false, asks: false })).toMatch(words)
})

it('a person’s pause over what is approved is not resumed before that went', () => {
  const way = wayOut({ ours: false, asks: false, kept: true })
  expect(way).toBe('its configuration has to be let go by its policies, and the pool resumed after that,')
  expect(wayOut({ ours: false, asks: true, kept: true })).toBe('approve its configuration and resume the pool')
})

it('what may not go before the certificate has expired is said to go too late', () => {
  const certificates = [{ bundle: 'b', subject: 'CN=signer', expiry: '2027-01-20T00:00:00Z' }]
  const said = (opens: string | null) => {
    const held = { ours: false, asks: false, kept: true, opens }
    return [pausedWarning(certificates, NOW, held), suspendedPool(certificates, NOW, held)[0]]
  }
  for (const words of said('2027-06-01T00:00:00.000Z'))
    expect(words).toContain('By its policies it may not go before 2027-06-01, which is too late')
  for (const words of [...said('2027-01-02T00:00:00.000Z'), ...said(null)]) expect(words).not.toContain('too late')
})
