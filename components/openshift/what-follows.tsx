import type { ReactNode } from 'react'
import { AskAgain } from '@/components/live'
import { Answer, CodeBlock, pretty, Section } from '@/components/ui'
import type { Rehearsal } from '@/lib/services/openshift/rehearse'

interface Props extends Pick<Rehearsal, 'call' | 'dryRun'> {
  warnings: readonly string[]
  follows: string[]
  /** Where it is refused, it is tried once more by this. */
  asked?: Parameters<typeof AskAgain>[0]['asked']
  /** What else belongs to what follows. */
  children?: ReactNode
}

/** What would follow, the call verbatim, and what the API server says to it as a dry run. */
export function WhatFollows({ warnings, follows, call, dryRun, asked, children }: Props) {
  return (
    <div className="[&>section:first-child]:mt-0 [&>section:first-child]:border-t-0 [&>section:first-child]:pt-0">
      <Warnings warnings={warnings} />
      <Section title="What follows">
        <ul className="grid list-disc gap-1.5 pl-4">
          {follows.map((sentence) => (
            <li key={sentence} className="text-pretty">
              {sentence}
            </li>
          ))}
        </ul>
      </Section>
      {children}
      <Section title="What Drydock will do to the cluster">
        <CodeBlock label={`${call.method} ${call.path}`} text={pretty(call.body)} />
      </Section>
      <DryRun dryRun={dryRun} title="What the API server says to it, as a dry run" asked={asked} />
    </div>
  )
}

/** What somebody should know before; nothing where there is nothing. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <ul className="mb-4 grid gap-1 rounded-md border border-line-strong bg-sunk px-3 py-2">
      {warnings.map((warning) => (
        <li key={warning} className="text-pretty">
          {warning}
        </li>
      ))}
    </ul>
  )
}

/** The API server's own answer to a change that was only tried. */
export function DryRun({ dryRun, title, asked }: Pick<Props, 'dryRun' | 'asked'> & { title: string }) {
  return (
    <Section title={title}>
      <p className={dryRun.ok ? '' : 'text-blocked'}>
        <span aria-hidden className={dryRun.ok ? 'mr-1.5 text-done' : 'mr-1.5'}>
          {dryRun.ok ? '✓' : '✕'}
        </span>
        {dryRun.sentence}
      </p>
      {dryRun.answer && <Answer>{dryRun.answer}</Answer>}
      {!dryRun.ok && asked && (
        <div className="mt-2">
          <AskAgain asked={asked}>Look again</AskAgain>
        </div>
      )}
    </Section>
  )
}
