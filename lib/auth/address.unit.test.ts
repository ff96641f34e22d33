import { describe, expect, it } from 'vitest'
import { countedAs, peerAddress, settleAddress, trustedRanges } from './address'

describe('whose address an attempt counts for', () => {
  it.each([
    ['nobody in front: the header is not believed', '203.0.113.9', '198.51.100.1', '', '203.0.113.9'],
    ['no header', '203.0.113.9', undefined, '', '203.0.113.9'],
    ['a stranger beside the proxy', '203.0.113.9', '198.51.100.1', '10.0.0.0/8', '203.0.113.9'],
    ['the proxy says who', '10.0.0.2', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['what the client wrote before it', '10.0.0.2', '1.1.1.1, 198.51.100.1', '10.0.0.2', '198.51.100.1'],
    ['two proxies', '10.0.0.2', '198.51.100.1, 10.0.0.3', '10.0.0.2, 10.0.0.3', '198.51.100.1'],
    ['only proxies', '10.0.0.2', '10.0.0.3', '10.0.0.0/8', '10.0.0.3'],
    ['nonsense', '10.0.0.2', 'me', '10.0.0.0/8', '10.0.0.2'],
    ['IPv4 in IPv6', '::ffff:10.0.0.2', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['IPv6', '2001:db8::1', '2001:db8:5::7', '2001:db8::/64', '2001:db8:5::7'],
    ['no peer', undefined, '198.51.100.1', '', 'unknown'],
  ])('%s', (_what, peer, forwarded, trusted, expected) => {
    expect(peerAddress(peer, forwarded, trusted)).toBe(expected)
  })

  it('a network of IPv6 counts as one', () => {
    const of = (address: string): string => countedAs(new Headers({ 'x-forwarded-for': address }))
    expect(of('2001:db8:5:6::7')).toBe(of('2001:db8:5:6:ffff::8'))
    expect(of('2001:db8:5:6::7')).not.toBe(of('2001:db8:5:7::7'))
    expect(of('203.0.113.9')).toBe('203.0.113.9')
    expect(countedAs(new Headers())).toBe('unknown')
  })

  it('is settled before anything reads it', () => {
    const request = {
      headers: { 'x-forwarded-for': ['1.1.1.1', '2.2.2.2'] as string | string[] },
      socket: { remoteAddress: '203.0.113.9' },
    }
    settleAddress(request)
    expect(request.headers['x-forwarded-for']).toBe('203.0.113.9')
  })

  it('a wrong setting is a sentence', () => {
    expect(() => trustedRanges('10.0.0.0/8, proxy')).toThrow(/not "proxy"/)
  })
})
