import { describe, expect, it } from 'vitest'
import { floorOf } from './floors'
import { aboveOwnRelease, versionProblem, versionWarnings } from './validate'

const floor = floorOf('4.22.4')!

describe('a typed version', () => {
  it.each(['4.19.0', '4.1.1', '0.0.0', '999.9.9', '04.019.00', '4.19.12345'])('%s is stored by the API server', (v) => {
    expect(versionProblem('OCPVersion', v)).toBeUndefined()
  })
  it.each(['v4.19.0', '4.19', '', '4.19.x', '4.19.0 ', '4.19.0\n', '４.19.0', '4.19.0-rc.1', '4.100.12345'])(
    '%j is refused',
    (v) => {
      expect(versionProblem('OCPVersion', v)).toMatch(/x\.y\.z/)
    },
  )
  it.each(['9.6.20251023-0', '9.6.20251023-10', '418.94.202511191518-0', '9.6.202510231200-0', '0.0.00000000-0'])(
    'RHCOS %s is stored',
    (v) => {
      expect(versionProblem('RHCOSVersion', v)).toBeUndefined()
    },
  )
  it.each(['v9.6.20251023-0', 'rhcos-9.6.20251023-0', '9.6.20251023', ' 9.6.20251023-0', '418.94.202511191518-123'])(
    'RHCOS %j is refused',
    (v) => {
      expect(versionProblem('RHCOSVersion', v)).toMatch(/9\.6\.20251023-0/)
    },
  )

  it('of the other kind says which kind it is', () => {
    expect(versionProblem('OCPVersion', '9.6.20251023-0')).toMatch(
      /^That is an RHCOS version: choose “RHCOS version” for it\./,
    )
    expect(versionProblem('RHCOSVersion', '4.19.0')).toMatch(/^That is an OCP version: choose “OCP version” for it\./)
  })

  it('is not said to be of the other kind where it is too short or too long for that', () => {
    for (const v of ['9.6.20251023', '4.100.12345'])
      expect(versionProblem('RHCOSVersion', v)).toMatch(/^That is too short: at least 14 characters are needed\./)
    expect(versionProblem('OCPVersion', '418.94.202511191518-123')).toMatch(
      /^That is 23 characters long and at most 10/,
    )
  })

  it('is warned of where the API server would store nonsense', () => {
    const about = {
      floor,
      release: '4.22.4',
      streamRelease: '9.8.20260714-0',
      now: Date.UTC(2026, 10, 21),
      open: false,
    }
    const warn = (kind: 'OCPVersion' | 'RHCOSVersion', v: string) => versionWarnings(kind, v, about).join(' ')
    expect(warn('OCPVersion', '4.16.0')).toBe('')
    expect(warn('OCPVersion', '4.12.7')).toContain('updates stay closed')
    expect(versionWarnings('OCPVersion', '4.12.7', { ...about, open: true })).toEqual([
      '4.12.7 is below the floor 4.13.0: this closes updates beyond 4.22, which boot images do not close now.',
    ])
    expect(warn('OCPVersion', '4.30.0')).toContain('newer than the cluster')
    expect(warn('OCPVersion', '04.12.00')).toContain('cannot read')
    expect(warn('RHCOSVersion', '9.6.20251023-0')).toBe('')
    expect(warn('RHCOSVersion', '9.6.20271023-0')).toContain('future')
    expect(warn('RHCOSVersion', '9.6.99999999-0')).toContain('does not exist')
    expect(warn('RHCOSVersion', '9.9.20260801-0')).toContain('newer than the boot image')
    expect(warn('RHCOSVersion', '418.94.202511191518-0')).toBe('')
  })

  const OLDER_FORM = '418.94.202511191518-0'
  it.each([
    ['9.8.20260714-0', '9.8.20260714-0', null],
    ['9.8.20260715-0', '9.8.20260714-0', 'newer than the boot image of the cluster’s own release (9.8.20260714-0)'],
    ['9.10.20260101-0', '9.8.20260714-0', 'newer than the boot image'],
    ['10.0.20260101-0', '9.8.20260714-0', 'newer than the boot image'],
    ['9.8.20260101-0', '10.0.20260101-0', null],
    // The older form says the release of OpenShift.
    ['425.94.202511191518-0', '9.8.20260714-0', 'of OpenShift 4.25, which is newer than the cluster itself (4.22.4)'],
    ['425.94.202511191518-0', null, 'newer than the cluster itself'],
    ['500.94.202511191518-0', '9.8.20260714-0', 'of OpenShift 5.0'],
    ['422.94.202511191518-0', '9.8.20260714-0', null],
    ['48.84.202208021106-0', '9.8.20260714-0', null],
    [OLDER_FORM, OLDER_FORM, null],
    ['418.94.202512191518-0', OLDER_FORM, 'newer than the boot image'],
    ['9.6.20251023-0', OLDER_FORM, 'newer than the boot image'],
    ['10.0.20260101-0', null, null],
  ])('RHCOS %s, of a cluster with %s', (version, streamRelease, words) => {
    const said = aboveOwnRelease('RHCOSVersion', version, { release: '4.22.4', streamRelease })
    if (words) expect(said).toContain(words)
    else expect(said).toBeNull()
  })
})
