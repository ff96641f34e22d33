import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import {
  acceptFailuresAction,
  approveAction,
  holdWorkersAction,
  letWorkersGrowAction,
  nextMachineAction,
  mindRemediationAction,
  overrideAction,
  pauseAction,
  previewAction,
  rejectAction,
  restoreAction,
  restoreLimitAction,
  resumeAction,
  retryAction,
  skipRemediationAction,
  withdrawAction,
} from '../actions'
import { UpdatePage } from '@/components/updates/update-page'
import { pageCtx } from '@/lib/auth'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { ServiceError } from '@/lib/services/errors'

export const metadata: Metadata = { title: 'Update' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const ctx = await pageCtx('fleet:read')
  const initial = await getUpdate(ctx, (await params).id).catch((error: unknown) => {
    if (error instanceof ServiceError && ['not-found', 'invalid'].includes(error.code)) notFound()
    throw error
  })
  return (
    <UpdatePage
      initial={initial}
      actions={{
        ...{ preview: previewAction, approve: approveAction, reject: rejectAction, retry: retryAction },
        ...{ withdraw: withdrawAction, override: overrideAction, restore: restoreAction },
        ...{
          pause: pauseAction,
          resume: resumeAction,
          nextMachine: nextMachineAction,
          acceptFailures: acceptFailuresAction,
          restoreLimit: restoreLimitAction,
          letWorkersGrow: letWorkersGrowAction,
          holdWorkers: holdWorkersAction,
          skipRemediation: skipRemediationAction,
          mindRemediation: mindRemediationAction,
        },
      }}
    />
  )
}
