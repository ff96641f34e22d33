import clsx from 'clsx'
import type { Step, StepState } from '@/lib/domain/pools/steps'

export const STEP_WORDS: Record<StepState, string> = {
  done: 'done',
  running: 'under way',
  failed: 'failed, tried again',
  skipped: 'not needed or not reported',
  ahead: 'not begun',
}
const SIGNS: Record<StepState, string> = { done: '✓', running: '●', failed: '✕', skipped: '–', ahead: '' }
const LOOKS: Record<StepState, string> = {
  done: 'bg-in-place text-panel',
  running: 'border-2 border-in-place bg-in-place-soft text-ink',
  failed: 'bg-blocked text-panel',
  skipped: 'border border-line-strong text-ink-3',
  ahead: 'border border-dashed border-line-strong',
}

/** The steps of one node in a line, each with a sign beside its colour; its sentence is read out. */
export function StepBar({ steps }: { steps: readonly Step[] | null }) {
  if (!steps) return null
  const at = steps.find(({ state }) => state === 'failed' || state === 'running')
  const done = steps.filter(({ state }) => state === 'done').length
  const label = `${done} of ${steps.length} steps done${at ? `, ${at.label}: ${STEP_WORDS[at.state]}` : ''}`
  return (
    <span role="img" aria-label={label} className="inline-flex gap-0.5 align-middle">
      {steps.map(({ type, label: name, state }) => (
        <span
          key={type}
          title={`${name}: ${STEP_WORDS[state]}`}
          className={clsx('inline-grid size-4 place-items-center rounded-sm text-[9px] leading-none', LOOKS[state])}
        >
          {SIGNS[state]}
        </span>
      ))}
    </span>
  )
}
