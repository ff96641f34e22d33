'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import { Answer, Button, CodeBlock, ErrorState, LinkButton, pretty, Skeleton } from '@/components/ui'
import { ReasonSheet } from '@/components/updates/reason-sheet'
import type { ActionResult } from '@/lib/auth'
import type { RollBackPlan } from '@/lib/services/roll-back/plan-roll-back'
import type { RolledBack } from '@/lib/services/roll-back/roll-back'
import { PlanOutcome } from './plan-outcome'

type Offer = RollBackPlan['offer']

export interface RollBackActions {
  planBack(input: { changeId: string }): Promise<ActionResult<RollBackPlan>>
  rollBack(
    input: Pick<Offer, 'changeId' | 'fingerprint' | 'generation'> & { reason: string },
  ): Promise<ActionResult<RolledBack>>
}

/** Going back to what a group was before a change: what that would do, planned as soon as it is looked at; then the button that writes it. */
export function RollBack({ changeId, actions }: { changeId: string; actions: RollBackActions }) {
  const planned = useAsked(actions.planBack, { changeId })
  const [asking, setAsking] = useState(false)
  const act = useAction(actions.rollBack, () => setAsking(false))
  const plan = () => {
    act.reset()
    planned.again()
  }
  return (
    <section className="mb-8" aria-label="Going back">
      <p className="mb-3 max-w-[76ch] text-pretty">
        The former machine set still has the template that the group had before. What going back to it would do:
      </p>
      {planned.pending && !planned.value && !planned.error ? (
        <div aria-busy>
          <span role="status" className="sr-only">
            Planning going back
          </span>
          <Skeleton height={120} />
        </div>
      ) : (
        <Button onClick={plan} pending={planned.pending}>
          Plan going back again
        </Button>
      )}
      <ErrorState className="mt-3" error={planned.error} />
      <div aria-live="polite">
        {planned.value && !act.value && <PlanOutcome result={planned.value.plan} />}
        {act.value && planned.value && <Written {...act.value} offer={planned.value.offer} />}
      </div>
      {planned.value && !act.value && <Offered offer={planned.value.offer} onAsk={() => setAsking(true)} />}
      {asking && planned.value && (
        <RollBackSheet offer={planned.value.offer} act={act} onClose={() => setAsking(false)} />
      )}
    </section>
  )
}

function Offered({ offer, onAsk }: { offer: Offer; onAsk(): void }) {
  if (offer.why)
    return (
      <p className="mt-4 max-w-[76ch] text-pretty">
        <span className="font-medium">Drydock does not write this.</span> {offer.why}
      </p>
    )
  return (
    <div className="mt-4 grid max-w-[76ch] justify-items-start gap-2">
      <p className="text-pretty">{afterWords(offer)}</p>
      {offer.writesBack.map((sentence) => (
        <p key={sentence} className="text-pretty">
          {sentence}
        </p>
      ))}
      <Button why={offer.may ? undefined : 'rolling back needs the role approver.'} onClick={onAsk}>
        Roll back…
      </Button>
    </div>
  )
}

function RollBackSheet({
  offer,
  act,
  onClose,
}: {
  offer: Offer
  act: ReturnType<typeof useAction<Parameters<RollBackActions['rollBack']>[0], RolledBack>>
  onClose(): void
}) {
  const { changeId, fingerprint, generation, call } = offer
  return (
    <ReasonSheet
      {...{ act, onClose }}
      crumb={offer.groupName}
      title="Roll back"
      verb="Roll back"
      tone="primary"
      hint="It is kept in the audit, with your name; who wrote the change that comes of it is you."
      onRun={(reason = '') => act.run({ changeId, fingerprint, generation, reason })}
    >
      <p className="text-pretty">{afterWords(offer)}</p>
      {offer.writesBack.map((sentence) => (
        <p key={sentence} className="text-pretty">
          {sentence}
        </p>
      ))}
      <section className="min-w-0">
        <h2 className="mb-1">What Drydock will write</h2>
        <p className="mb-2 text-pretty text-ink-2">
          Only if the group is still as it was planned; where somebody wrote to it since, nothing is written. Where the
          latch is installed, it puts its own words in <code>drydock.dev/held</code>.
        </p>
        <CodeBlock label={`${call.method} ${call.path} · ${call.contentType}`} text={pretty(call.body)} />
      </section>
    </ReasonSheet>
  )
}

const afterWords = (offer: Offer): string => `${whatComes(offer)}${wavesWords(offer)}`

/** A roll back is no exception to waves: in an emergency that has to be known before. */
const wavesWords = ({ endsByItself, waves }: Offer): string =>
  waves === null || endsByItself
    ? ''
    : ` It is in the waves of the policy ${waves} as well, and waits until its own is open: whoever cannot wait says “Do not wait…” on its page (role approver).`

function whatComes({ endsByItself, goesByItself }: Offer): string {
  if (endsByItself)
    return 'Nothing moves by it: the group wants then what it was last let go with, and all of its machines have that. Its hold ends by itself.'
  return goesByItself
    ? 'The group is held in the same write. What comes of it is a change of its own, and as its policy asks nobody, it goes by itself.'
    : 'Nothing moves by it: the group is held in the same write. What comes of it is a change of its own, which waits for approval under the same policies.'
}

/** Written: what became of it, and where it goes on. */
function Written({ answer, offer }: RolledBack & { offer: Offer }) {
  return (
    <div role="status" className="mt-4 max-w-[76ch] rounded-md border border-line bg-panel px-4 py-3">
      <p className="text-pretty">
        <span className="font-medium">Written.</span>{' '}
        {offer.endsByItself
          ? 'The hold ends by itself within seconds.'
          : offer.goesByItself
            ? 'What comes of it is the newer change of this group, which goes by itself.'
            : 'Nothing moves before it is approved: the change that waits now is the newer one of this group.'}
      </p>
      <Answer>{answer}</Answer>
      <LinkButton className="mt-2" tone="primary" href={`/updates/${offer.changeId}?newest`} prefetch={false}>
        {offer.endsByItself || offer.goesByItself ? 'See the change' : 'Go to what waits'}
      </LinkButton>
    </div>
  )
}
