import type { Metadata } from 'next'
import { ConnectForm } from '@/components/clusters/connect-form'
import { pageCtx } from '@/lib/auth'
import { add, inspect, test } from '../actions'

export const metadata: Metadata = { title: 'Connect a cluster' }

export default async function ConnectPage() {
  await pageCtx('clusters:write')
  return <ConnectForm actions={{ inspect, test, add }} />
}
