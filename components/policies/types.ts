import type { ActionResult } from '@/lib/auth'
import type { AtOnce } from '@/lib/services/policies/at-once'
import type { ImportedPolicy } from '@/lib/services/policies/import-policies'
import type { ImportPreview } from '@/lib/services/policies/preview-import'
import type { PolicyPreview } from '@/lib/services/policies/preview-policy'
import type { SavedPolicy } from '@/lib/services/policies/save-policy'
import type { SimulatedPolicy } from '@/lib/services/policies/simulate-policy'

export interface Draft {
  policyId?: string
  version?: number
  name: string
  spec: unknown
}

export interface PolicyActions {
  /** `goes`: the digest of what it was seen to let go at once. */
  save(input: Draft & { goes?: string }): Promise<ActionResult<SavedPolicy>>
  remove(input: { policyId: string; version: number; goes?: string }): Promise<ActionResult<void>>
  preview(input: Draft): Promise<ActionResult<PolicyPreview>>
  simulate(input: Draft & { groupId?: string }): Promise<ActionResult<SimulatedPolicy | 'pools' | null>>
  lookAtRemoval(input: { policyId: string }): Promise<ActionResult<AtOnce>>
  lookAtYaml(input: { text: string }): Promise<ActionResult<ImportPreview>>
  importYaml(input: {
    text: string
    looked?: Pick<ImportPreview['policies'][number], 'name' | 'was'>[]
    goes?: string
  }): Promise<ActionResult<ImportedPolicy[]>>
  exportYaml(input: null): Promise<ActionResult<string>>
}
