import type { Metadata } from 'next'
import { MessagesPage } from '@/components/messages/messages-page'
import { pageCtx } from '@/lib/auth'
import { messagesOverview } from '@/lib/services/messages/messages-overview'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Messages' }

export default async function Page() {
  const ctx = await pageCtx('messages:write')
  return <MessagesPage overview={await messagesOverview(ctx)} actions={{ ...actions }} />
}
