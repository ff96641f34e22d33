import type { ReactNode } from 'react'
import type { Failed } from '@/components/live'
import {
  Answer,
  Commit,
  ErrorState,
  Outcome,
  Sheet,
  Steps,
  TextInput,
  type ButtonProps,
  type Step,
} from '@/components/ui'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'

interface Props {
  cluster: ClusterDetail
  title: ReactNode
  onClose(): void
  /** The button that does it. */
  label: ReactNode
  tone?: ButtonProps['tone']
  run(): void
  pending: boolean
  /** Why it cannot be pressed now; said beside it. Empty: what is missing is plain to see. */
  blocked?: string | false
  done: boolean
  /** What truly happened, as far as it has come; null before anything did. */
  steps: Step[] | null
  /** The API server's own words on what was done. */
  answers?: readonly string[]
  error?: Failed | null
  /** What to do about the error. */
  remedy?: ReactNode
  /** What would happen, said before; gone once it has. */
  children: ReactNode
}

/** A verb on a cluster: said before it is done, then told in three ticks as it truly happens. */
export function VerbSheet(props: Props) {
  const { cluster, title, onClose, label, tone, run, pending, blocked, done, steps, answers, error, remedy } = props
  return (
    <Sheet
      open
      onClose={onClose}
      width={640}
      crumb={cluster.name}
      title={title}
      footer={
        <>
          <Commit
            tone={tone}
            done={done}
            onClose={onClose}
            onClick={run}
            pending={pending}
            disabled={blocked !== undefined && blocked !== false}
          >
            {label}
          </Commit>
          {!done && blocked && <span className="text-sm text-ink-3">{blocked}</span>}
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Outcome of={done ? 'done' : (error?.message ?? null)}>
          {steps && <Steps steps={steps} />}
          {answers && answers.length > 0 && <Answer>{answers.join('\n')}</Answer>}
          <ErrorState error={error} action={remedy} />
        </Outcome>
        {!done && props.children}
      </div>
    </Sheet>
  )
}

/** What cannot be taken back is confirmed by the cluster's name. */
export function NameToConfirm({
  cluster,
  typed,
  onType,
}: {
  cluster: ClusterDetail
  typed: string
  onType(text: string): void
}) {
  return (
    <TextInput
      label={`Type ${cluster.name} to confirm`}
      mono
      value={typed}
      onChange={(event) => onType(event.target.value)}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
