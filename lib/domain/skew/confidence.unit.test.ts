import { describe, expect, it } from 'vitest'
import { confidenceOf } from './confidence'
import { skewEvidence, type DatedImage, type EvidenceItem } from './evidence'
import { floorOf } from './floors'
import type { SkewState } from './types'

const floor = floorOf('4.22.3')!
const ocp = (version: string, sure: DatedImage['sure'] = 'certain'): DatedImage => ({
  ...{ kind: 'OCPVersion', version, sure, because: `names the boot image of ${version}` },
})
const minor = (version: string): DatedImage => ({ ...ocp(version, 'likely'), minorOnly: true })
const rhcos = (version: string): DatedImage => ({ ...ocp(version), kind: 'RHCOSVersion' })
const beside = (version: string, stands: 'older' | 'same' | 'newer'): DatedImage => ({
  ...{ ...rhcos(version), ofRelease: { stands, release: '4.22.3' } },
})

describe('how well what is recorded is supported', () => {
  const install: EvidenceItem = { source: 'install', sentence: 'It was installed with 4.16.3.', sure: 'at-least' }
  const manual = (recorded: object, spec = true) => ({
    ...{ mode: 'Manual' as const, recorded, spec: spec ? { mode: 'Manual', manual: recorded } : null },
  })
  const automatic = { mode: 'Automatic' as const, recorded: { ocpVersion: '4.22.3' }, spec: null }
  const of = (state: Pick<SkewState, 'mode' | 'spec' | 'recorded'>, dated: readonly (DatedImage | null)[]) => {
    const sets = dated.map((d, i) => ({ name: `set-${i}`, replicas: 1, dated: d }))
    const acknowledged = state.spec?.mode === 'Manual'
    return skewEvidence({ ...state, acknowledged, sets, history: [{ state: 'Completed', version: '4.16.3' }] })
  }
  it.each([
    ['no set is older', manual({ ocpVersion: '4.14.8' }), [ocp('4.22.3'), ocp('4.16.0')], 'certain', 'set-1'],
    ['a set is certainly older', manual({ ocpVersion: '4.14.8' }), [ocp('4.22.3'), ocp('4.13.0')], 'against', 'set-1'],
    ['an older one among unknown ones', manual({ ocpVersion: '4.14.8' }), [null, ocp('4.13.0')], 'against', 'set-1'],
    ['the operator’s own record, too', automatic, [ocp('4.13.0')], 'against', 'set-0'],
    [
      'an older RHCOS of the same form',
      manual({ rhcosVersion: '418.94.202511191518-0' }),
      [rhcos('418.94.202501010000-0')],
      'against',
      'set-0',
    ],
    ['an older RHCOS', manual({ ocpVersion: '4.14.8' }), [rhcos('412.86.202301010000-0')], 'against', 'set-0'],
    ['the weakest', manual({ ocpVersion: '4.14.8' }), [ocp('4.22.3', 'likely'), ocp('4.22.3')], 'likely', 'set-0'],
    ['an unknown one', automatic, [ocp('4.22.3'), null], 'unknown', 'set-1'],
    ['a lower bound above it', manual({ ocpVersion: '4.14.8' }), [ocp('4.16.0', 'at-least')], 'at-least', 'set-0'],
    ['a lower bound below it', manual({ ocpVersion: '4.18.0' }), [ocp('4.16.0', 'at-least')], 'unknown', 'set-0'],
    ['an older minor release', manual({ ocpVersion: '4.14.8' }), [minor('4.13.0')], 'against', 'set-0'],
    ['only the same minor release', manual({ ocpVersion: '4.13.5' }), [minor('4.13.0')], 'unknown', 'set-0'],
    ['the first of that minor release', manual({ ocpVersion: '4.13.0' }), [minor('4.13.0')], 'likely', 'set-0'],
    ['another kind of version', manual({ ocpVersion: '4.22.0' }), [rhcos('9.6.20251023-0')], 'unknown', 'set-0'],
    ['one that came later anyway', manual({ ocpVersion: '4.14.8' }), [rhcos('9.6.20251023-0')], 'certain', 'set-0'],
    [
      'the same minor release in both',
      manual({ ocpVersion: '4.18.9' }),
      [rhcos('418.94.202511191518-0')],
      'unknown',
      'set-0',
    ],
    ['an RHCOS newer than the release’s', automatic, [beside('9.9.20270101-0', 'newer')], 'certain', 'set-0'],
    ['the release’s own RHCOS', automatic, [beside('9.8.20260714-0', 'same')], 'certain', 'set-0'],
    ['an RHCOS older than the release’s', automatic, [beside('9.8.20260601-0', 'older')], 'against', 'set-0'],
    [
      'older than the release’s, and maybe not than what is recorded',
      manual({ ocpVersion: '4.22.1' }),
      [beside('9.8.20260601-0', 'older')],
      'unknown',
      'set-0',
    ],
    [
      'newer than the release’s, and maybe not than what is recorded',
      manual({ ocpVersion: '4.23.0' }),
      [beside('9.9.20270101-0', 'newer')],
      'unknown',
      'set-0',
    ],
    ['no set, recorded by the operator', automatic, [], 'unknown', 'had no machine set to look at'],
    ['no set, from the installation', manual({ ocpVersion: '4.16.3' }, false), [], 'at-least', 'installed with'],
    [
      'no set, a word no newer than the installation',
      manual({ ocpVersion: '4.16.0' }),
      [],
      'at-least',
      'installed with 4.16.3',
    ],
    ['no set, a word alone', manual({ ocpVersion: '4.18.0' }), [], 'unknown', 'nothing verifies'],
    [
      'nothing known of the installation',
      manual({ ocpVersion: '0.0.0' }, false),
      [ocp('4.22.3')],
      'unknown',
      'not known',
    ],
    ['nothing recorded', { ...manual({}), mode: 'None' as const }, [ocp('4.22.3')], 'unknown', 'Nothing is recorded'],
  ] as const)('%s', (_, state, dated, level, why) => {
    const found = confidenceOf(of(state, dated), state, floor)
    expect(found.level).toBe(level)
    expect(found.why).toContain(why)
  })
  it('knows nothing of a cluster that was not read', () => {
    expect(confidenceOf({ items: [install], best: null }, null, floor).level).toBe('unknown')
  })
  it('is less sure where the floor of the release is not known yet', () => {
    const found = confidenceOf(of(automatic, [ocp('4.22.3')]), automatic, floorOf('9.9.0'))
    expect(found.level).toBe('likely')
    expect(found.why).toContain('is not known yet')
  })
})
