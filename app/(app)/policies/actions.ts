'use server'

import { action, look } from '@/lib/auth'
import { exportPolicies } from '@/lib/services/policies/export-policies'
import { importPolicies } from '@/lib/services/policies/import-policies'
import { previewImport } from '@/lib/services/policies/preview-import'
import { previewPolicy } from '@/lib/services/policies/preview-policy'
import { previewRemoval } from '@/lib/services/policies/preview-removal'
import { removePolicy } from '@/lib/services/policies/remove-policy'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { simulatePolicy } from '@/lib/services/policies/simulate-policy'

export const save = action(savePolicy)
export const remove = action(removePolicy)
export const preview = look(previewPolicy)
export const simulate = look(simulatePolicy)
export const lookAtRemoval = look(previewRemoval)
export const lookAtYaml = look(previewImport)
export const importYaml = action(importPolicies)
export const exportYaml = look(exportPolicies)
