import { MACHINE_EXAMPLES } from './machine'
import { CONTROL_PLANE_EXAMPLES } from './control-plane'
import { CLOUDS_EXAMPLES } from './clouds'
import { OPENSHIFT_EXAMPLES } from './openshift'
import { OTHER_EXAMPLES } from './other'
import type { Example } from './facts'

/** Messages as they are really met, with the entry that explains each: one at least for every entry. */
export const EXAMPLES: readonly Example[] = [
  ...MACHINE_EXAMPLES,
  ...CONTROL_PLANE_EXAMPLES,
  ...CLOUDS_EXAMPLES,
  ...OTHER_EXAMPLES,
  ...OPENSHIFT_EXAMPLES,
]
