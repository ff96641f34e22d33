'use server'

import { action } from '@/lib/auth'
import { removeWebhook } from '@/lib/services/messages/remove-webhook'
import { setWebhook } from '@/lib/services/messages/set-webhook'
import { testWebhook } from '@/lib/services/messages/test-webhook'

export const set = action(setWebhook)
export const remove = action(removeWebhook)
export const test = action(testWebhook)
