import { expect, test } from 'vitest'
import type { BestEvidence, EvidenceItem } from './evidence'
import { recordFirst } from './record-first'

const set = (version: string): EvidenceItem => ({
  ...{ source: 'machine-sets', sure: 'likely', sentence: `infra names ${version}.` },
  image: { kind: version.startsWith('4.') ? 'OCPVersion' : 'RHCOSVersion', version },
})
const best = (version: string): BestEvidence => ({
  ...{ versionKind: version.startsWith('4.') ? 'OCPVersion' : 'RHCOSVersion', version },
  ...{ why: `The oldest image in use: infra names ${version}.`, sure: 'likely' },
})
const KEPT = 'As its operator recorded it.'
const RECORD = { ocpVersion: '4.22.4', rhcosVersion: null }
const OLD = '413.92.202305021736-0'

test.each<
  [what: string, recorded: object, items: EvidenceItem[], found: BestEvidence | null, version: string, why: string]
>([
  ['the record, where nothing is older', RECORD, [set('4.22.4')], best('4.22.4'), '4.22.4', KEPT],
  ['the evidence, where that is older', RECORD, [set(OLD)], best(OLD), OLD, best(OLD).why],
  ['also of the same kind', RECORD, [set('4.16.0')], best('4.16.0'), '4.16.0', best('4.16.0').why],
  ['the record, where nothing but the installation is older', RECORD, [], best('4.12.7'), '4.22.4', KEPT],
  ['the evidence, where the record is of an unknown installation', { ocpVersion: '0.0.0', rhcosVersion: null }, [set('4.22.4')], best('4.22.4'), '4.22.4', best('4.22.4').why], // prettier-ignore
  ['or of no release', { ocpVersion: '0.0.1', rhcosVersion: null }, [], best('4.12.7'), '4.12.7', best('4.12.7').why],
  ['that record, where there is no other', { ocpVersion: '0.0.1', rhcosVersion: null }, [], null, '0.0.1', KEPT],
  ['an RHCOS record', { ocpVersion: null, rhcosVersion: '9.6.20251023-0' }, [], null, '9.6.20251023-0', KEPT],
  ['the evidence, where nothing is recorded', { ocpVersion: null, rhcosVersion: null }, [], best('4.12.7'), '4.12.7', best('4.12.7').why], // prettier-ignore
  ['nothing, where there is neither', { ocpVersion: null, rhcosVersion: null }, [], null, '', ''],
])('before machine sets are left, the version to record is %s', (_, recorded, items, found, version, why) => {
  const first = recordFirst(recorded as typeof RECORD, items, found)
  expect([first.version, first.why ?? '']).toEqual([version, why])
  expect(first.versionKind).toBe(/^([04]\.|$)/.test(version) ? 'OCPVersion' : 'RHCOSVersion')
})
