import { Answer, RelativeTime } from '@/components/ui'
import type { triedOf } from './tried-of'

/** What nobody has to retry: its time has come, and it could not be sent. */
export function Tried({ decision }: { decision: ReturnType<typeof triedOf> }) {
  if (!decision) return null
  const { triedAt, error, answer } = decision
  return (
    <div role="status" className="mt-4 max-w-2xl rounded-md border border-line bg-panel px-4 py-3">
      <p>
        Its time has come, and it could not be sent <RelativeTime at={triedAt} />. {error}
      </p>
      <p className="mt-1 text-ink-2">It is tried ever more seldom, and each time everything is asked anew first.</p>
      {answer && <Answer said="The last time:">{answer}</Answer>}
    </div>
  )
}
