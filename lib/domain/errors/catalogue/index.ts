import type { Entry } from '../types'
import { AWS } from './aws'
import { CLOUDS } from './clouds'
import { CONTROL_PLANE } from './control-plane'
import { DELETION } from './deleting'
import { HEALTH } from './health'
import { MACHINE } from './machine'
import { MACHINE_CONFIG } from './machine-config'
import { ON_PREMISES } from './on-premises'
import { OPENSHIFT } from './openshift'

export const CATALOGUE: readonly Entry[] = [
  ...MACHINE,
  ...DELETION,
  ...HEALTH,
  ...CONTROL_PLANE,
  ...AWS,
  ...CLOUDS,
  ...ON_PREMISES,
  ...OPENSHIFT,
  ...MACHINE_CONFIG,
]
