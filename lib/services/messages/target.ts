import type { Webhook } from '@/lib/db/generated/client'
import { seal, unseal } from '@/lib/seal'

const AAD = 'webhook'

/** Where messages go, as it is sealed. */
export interface Target {
  url: string
  token: string | null
}

export const sealedTarget = (target: Target) => {
  const { sealed, keyId } = seal(JSON.stringify(target), AAD)
  return { sealed, keyId }
}

export const targetOf = ({ sealed, keyId }: Webhook): Target =>
  JSON.parse(unseal({ sealed: new Uint8Array(sealed), keyId }, AAD)) as Target
