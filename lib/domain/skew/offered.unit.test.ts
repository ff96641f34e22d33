import { expect, test } from 'vitest'
import type { BestEvidence, EvidenceItem } from './evidence'
import { offered } from './offered'

const best = (version: string): BestEvidence => ({
  ...{ versionKind: version.startsWith('4.') ? 'OCPVersion' : 'RHCOSVersion', version },
  ...{ why: `names ${version}`, sure: 'likely' },
})
const OPEN: EvidenceItem[] = [{ source: 'machine-sets', sure: 'unknown', sentence: 'a has no age.' }]
const DATED: EvidenceItem[] = [{ source: 'machine-sets', sure: 'certain', sentence: 'a names 4.22.4.' }]
const INSTALLED: BestEvidence = { ...best('4.12.7'), sure: 'at-least' }
const OCP = { ocpVersion: '4.16.0' }

test.each<
  [what: string, offer: string | null, found: BestEvidence | null, word: typeof OCP | null, items: EvidenceItem[]]
>([
  ['the evidence, where nothing is acknowledged', '4.22.4', best('4.22.4'), null, OPEN],
  ['the evidence over what is acknowledged, where every set is dated', '4.22.4', best('4.22.4'), OCP, DATED],
  ['what is acknowledged, where that is older and a set may be older still', '4.16.0', best('4.22.4'), OCP, OPEN],
  ['nor what may be newer', '4.16.0', best('9.6.20251023-0'), OCP, OPEN],
  ['the evidence, where that is older', '4.14.0', best('4.14.0'), OCP, OPEN],
  ['also of another kind', '413.92.202305021736-0', best('413.92.202305021736-0'), OCP, OPEN],
  ['what is acknowledged, where only the installation tells of an older one', '4.16.0', INSTALLED, OCP, OPEN],
  ['the installation, where nothing is acknowledged', '4.12.7', INSTALLED, null, OPEN],
  ['an older image of a set, however sure', '4.12.7', INSTALLED, OCP, DATED],
  ['what is acknowledged, where there is no evidence', '4.16.0', null, OCP, OPEN],
  ['nothing, where there is neither', null, null, null, []],
])('to acknowledge is offered %s', (_, offer, found, word, items) => {
  expect(offered(found, word, items)?.version ?? null).toBe(offer)
})
