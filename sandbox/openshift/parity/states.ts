import type { JsonObject } from '../../../lib/domain/json'
import type { ConfigurationForm } from '../machine-configuration'
import { byOcp, byRhcos, labelled, list, planes, sets } from './bodies'

/** What is stored before an action: the stanzas of spec, and what the operator says. */
export interface State {
  name: string
  spec: JsonObject
  status: JsonObject | null
}

interface Skew {
  stanza?: JsonObject
  says: JsonObject | null
}

const automatic = { mode: 'Automatic', automatic: { ocpVersion: '4.18.0' } }
const SKEWS: Record<string, Skew> = {
  nothing: { says: null },
  Automatic: { says: automatic },
  'Automatic, Manual asked': { stanza: byOcp('4.17.0'), says: automatic },
  'Automatic, None asked': { stanza: { mode: 'None' }, says: automatic },
  'Manual by OCP': { stanza: byOcp('4.17.0'), says: byOcp('4.17.0') },
  'Manual by RHCOS': { stanza: byRhcos('418.94.202511191518-0'), says: byRhcos('418.94.202511191518-0') },
  None: { stanza: { mode: 'None' }, says: { mode: 'None' } },
}

const MANAGED: Record<string, JsonObject | undefined> = {
  unset: undefined,
  '{}': {},
  '[]': list(),
  All: list(sets('All')),
  Partial: list(sets('Partial', labelled)),
  None: list(sets('None')),
  'planes All': list(planes('All')),
  'All, planes All': list(sets('All'), planes('All')),
}

/** While the operator says Automatic these cannot be stored: it has to have all machine sets. */
const NOT_AUTOMATIC = ['[]', 'Partial', 'None']

/** Every state that can be there: 47 with skew enforcement; without it, the 6 that name no control planes; up to 4.18 there is no None. */
export function statesOf(form: ConfigurationForm): State[] {
  const enforcement = form === 'with-skew'
  const skews = Object.entries(SKEWS).slice(0, enforcement ? undefined : 1)
  return skews.flatMap(([skew, { stanza, says }]) =>
    Object.entries(MANAGED).flatMap(([managed, value]): State[] => {
      if (!enforcement && managed.includes('planes')) return []
      if (form === '4.18' && managed === 'None') return []
      if (skew.startsWith('Automatic') && NOT_AUTOMATIC.includes(managed)) return []
      const spec = {
        ...(value === undefined ? {} : { managedBootImages: value }),
        ...(stanza ? { bootImageSkewEnforcement: stanza } : {}),
      }
      const status = says && {
        observedGeneration: 1,
        bootImageSkewEnforcementStatus: says,
        managedBootImagesStatus: list(sets('All')),
      }
      return [{ name: `${skew} / ${managed}`, spec, status }]
    }),
  )
}
