import Link from 'next/link'
import { Chip, CodeBlock, Section, type ChipTone } from '@/components/ui'
import type { JoinCertainty, JoinDiagnosis, JoinEvidence } from '@/lib/domain/joining'

const CERTAINTY: Record<JoinCertainty, { tone: ChipTone; words: string }> = {
  'boot-image': { tone: 'bad', words: 'its boot image' },
  likely: { tone: 'bad', words: 'most likely its boot image' },
  'not-the-image': { tone: 'plain', words: 'not its boot image' },
  unknown: { tone: 'plain', words: 'not known' },
}
const SAYS: Record<JoinEvidence['says'], { mark: string; words: string; colour: string }> = {
  image: { mark: '✕', words: 'speaks for its boot image', colour: 'text-blocked' },
  other: { mark: '○', words: 'speaks for another cause', colour: 'text-ink-2' },
  nothing: { mark: '·', words: 'speaks for neither', colour: 'text-ink-3' },
}
/** What is not known says so itself. */
const SURE: Record<JoinEvidence['sure'], string> = { certain: 'certain', likely: 'likely', unknown: '' }

/** Why a machine whose instance is there has no node: what tells it, how surely, and the way out in its order. */
export function Joining({ joining }: { joining: JoinDiagnosis }) {
  const { tone, words } = CERTAINTY[joining.certainty]
  return (
    <Section id="why-not-joined" title="Why it does not join" aside={<Chip tone={tone}>{words}</Chip>}>
      <h3 className="text-sm font-medium text-ink-2">Evidence</h3>
      <ul aria-label="Evidence" className="mt-1.5 grid gap-1.5">
        {joining.evidence.map((item) => (
          <li key={item.sentence} className="grid grid-cols-[12px_minmax(0,1fr)] gap-x-2 text-sm">
            <span className={SAYS[item.says].colour} title={SAYS[item.says].words}>
              <span aria-hidden>{SAYS[item.says].mark}</span>
              <span className="sr-only">{SAYS[item.says].words}: </span>
            </span>
            <span className="min-w-0 text-pretty wrap-anywhere text-ink-2">
              {item.sentence}
              {SURE[item.sure] && <span className="whitespace-nowrap text-ink-3"> ({SURE[item.sure]})</span>}
            </span>
          </li>
        ))}
      </ul>
      <h3 className="mt-4 text-sm font-medium text-ink-2">Way out</h3>
      <ol aria-label="Way out" className="mt-1.5 ml-4 grid list-decimal gap-2.5">
        {joining.wayOut.map((step) => (
          <li key={step.sentence} className="text-pretty wrap-anywhere">
            {step.sentence}
            {step.link && (
              <>
                {' '}
                <Link
                  href={step.link.href}
                  className="underline decoration-line-strong underline-offset-2 hover:decoration-ink"
                >
                  {step.link.label}
                </Link>
              </>
            )}
            {step.command && <CodeBlock text={step.command} wrap className="mt-1 text-sm" />}
          </li>
        ))}
      </ol>
    </Section>
  )
}
