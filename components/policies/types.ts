import type { ActionResult } from '@/lib/auth'
import type { PolicyPreview } from '@/lib/services/policies/preview-policy'
import type { SavedPolicy } from '@/lib/services/policies/save-policy'

export interface Draft {
  policyId?: string
  version?: number
  name: string
  spec: unknown
}

export interface PolicyActions {
  save(input: Draft): Promise<ActionResult<SavedPolicy>>
  remove(input: { policyId: string; version: number }): Promise<ActionResult<void>>
  preview(input: Draft): Promise<ActionResult<PolicyPreview>>
  importYaml(input: { text: string }): Promise<ActionResult<SavedPolicy[]>>
  exportYaml(input: null): Promise<ActionResult<string>>
}
