import type { InfrastructureFacts } from './readers'

/** Its type says Azure; the operator updates no boot image there. */
export const AZURE_STACK_HUB = 'Azure Stack Hub'

/** The platform as the rules and people tell it apart. */
export const platformName = ({ type, azureStack }: Pick<InfrastructureFacts, 'type' | 'azureStack'>): string =>
  type === 'Azure' && azureStack ? AZURE_STACK_HUB : type
