import type { ComponentProps } from 'react'
import { CodeBlock, count, pretty, Section } from '@/components/ui'
import { DryRun, Warnings } from '@/components/openshift/what-follows'
import { listed } from '@/lib/domain/skew/evidence'
import type { ManagedPreview } from '@/lib/services/boot-images/preview-managed'
import { SetChanges } from './set-changes'

/** Before: what becomes of each set, the writes in their order, and what the first is answered with. */
export function ManagedPreviewView({
  preview,
  asked,
}: {
  preview: ManagedPreview
  asked: ComponentProps<typeof DryRun>['asked']
}) {
  const { follows, steps, dryRun, commands, systemLabels, confirm } = preview
  // What is to be confirmed stands at its box.
  const warnings = preview.warnings.filter((warning) => !confirm?.includes(warning))
  return (
    <div className="[&>section:first-child]:mt-0 [&>section:first-child]:border-t-0 [&>section:first-child]:pt-0">
      <Warnings warnings={warnings} />
      <Section title="What follows">
        <ul className="grid list-disc gap-1.5 pl-4">
          {follows.sentences.map((sentence) => (
            <li key={sentence} className="text-pretty wrap-anywhere">
              {sentence}
            </li>
          ))}
        </ul>
      </Section>
      <SetChanges sets={follows.sets} />
      {commands.length + systemLabels.length > 0 && (
        <Section title="To have another set match">
          <p className="mb-2 max-w-[72ch] text-pretty text-ink-2">
            A selector goes by the labels of the machine sets. Drydock does not change machine sets and has no
            permission to: label the set yourself, or where your Git has it, and the operator begins a pass by itself.
          </p>
          {systemLabels.length > 0 && (
            <p className="mb-2 max-w-[72ch] text-pretty wrap-anywhere text-ink-2">{ownLabel(systemLabels)}</p>
          )}
          {commands.length > 0 && <CodeBlock wrap text={commands.join('\n')} />}
        </Section>
      )}
      <Section title="What Drydock will do to the cluster" aside={count(steps.length, 'write')}>
        <ol className="grid gap-3">
          {steps.map(({ label, call, waitsFor, back }, i) => (
            <li key={label} className="grid grid-cols-[minmax(0,1fr)] gap-1">
              <p className="text-pretty">
                {steps.length > 1 && `${i + 1}. `}
                {waitsFor ? `When ${waitsFor}: ` : ''}
                {label}
              </p>
              <CodeBlock label={`${call.method} ${call.path}`} text={pretty(call.body)} />
              {i > 0 && (
                <p className="text-sm text-ink-2">
                  It is bound to the state that the write before leaves: who changes it in between is not overwritten.
                </p>
              )}
              {back && i + 1 < steps.length && (
                <p className="text-sm text-ink-2">Until the next write the way back is: {back}.</p>
              )}
            </li>
          ))}
        </ol>
      </Section>
      <DryRun
        dryRun={dryRun}
        asked={asked}
        title={
          steps.length > 1
            ? 'What the API server says to the first, as a dry run'
            : 'What the API server says to it, as a dry run'
        }
      />
    </div>
  )
}

/** In the place of a command that would write them. */
const ownLabel = (systems: readonly string[]): string =>
  `${listed(systems)} ${systems.length > 1 ? 'are labels' : 'is a label'} that the system itself writes and goes by: do not change ${systems.length > 1 ? 'them' : 'it'}. Give the sets a label of your own, and select by that.`
