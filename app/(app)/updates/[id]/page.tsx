import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
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

interface Props {
  params: Promise<{ id: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

/** One change; with `?newest`, what took its place, where something did. */
export default async function Page({ params, searchParams }: Props) {
  const ctx = await pageCtx('fleet:read')
  const initial = await getUpdate(ctx, (await params).id).catch((error: unknown) => {
    if (error instanceof ServiceError && ['not-found', 'invalid'].includes(error.code)) notFound()
    throw error
  })
  if (initial.newer && 'newest' in (await searchParams)) redirect(`/updates/${initial.newer.id}`)
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
