'use server'

import { action } from '@/lib/auth'
import { verifyAudit } from '@/lib/services/audit/verify-audit'

export const verify = action(verifyAudit)
