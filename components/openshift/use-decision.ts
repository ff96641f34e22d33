import { useAction, type Asked } from '@/components/live'
import type { ActionResult } from '@/lib/auth'
import type { ActionDto } from '@/lib/services/openshift/action-row'

export type Act = (input: unknown) => Promise<ActionResult<ActionDto>>

/** A decision on OpenShift from its sheet: made, made again where it failed, and what came of it. */
export function useDecision(act: Act, retry: Act, preview: Pick<Asked<unknown>, 'again'>) {
  const made = useAction(async (input: unknown) => {
    const result = await act(input)
    // What was looked at may not be so any more: it is shown anew beside the refusal.
    if (!result.ok) preview.again()
    return result
  })
  const retried = useAction(retry)
  /** What it would do is read anew before anything is decided. */
  const anew = () => {
    made.reset()
    retried.reset()
    preview.again()
  }
  return {
    run: made.run,
    pending: made.pending,
    retrying: retried.pending,
    done: retried.value ?? made.value,
    failed: retried.error ?? made.error,
    anew,
    /** Where somebody else wrote in between, what would happen has to be looked at again. */
    again: (action: ActionDto) => (action.conflict ? anew() : retried.run({ actionId: action.id })),
  }
}
