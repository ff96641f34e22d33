import type { ReactNode } from 'react'
import { Chip, Facts } from '@/components/ui'
import { CONFIDENCE_WORDS } from '@/lib/domain/skew/confidence'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { lastPass } from './last-pass'
import { NODES } from './words'

/** The questions that a verdict leaves: why this mode, how far, whether new machines join, how well the record is supported, what the operator does. */
export function CardFacts({ card }: { card: BootImageCard }) {
  const nodes = NODES[card.nodeRisk]
  const facts: [string, ReactNode][] = [
    ['mode', mode(card)],
    ['distance', capital(card.distanceWords)],
    ['cluster version', card.unheard ? '' : updates(card)],
    [
      'new machines',
      <>
        <Chip tone={nodes.tone} className="mr-2">
          {nodes.words}
        </Chip>
        {card.nodeRiskWhy}
      </>,
    ],
    ['the record', sure(card)],
    ['managed updates', managed(card)],
    ['last pass', lastPass(card)],
  ]
  const known = facts.filter(([, value]) => value !== '' && value !== null)
  return (
    <div className="max-w-[96ch] text-sm text-ink-2">
      <Facts items={known} />
    </div>
  )
}

/** Why there is none is what the verdict says already. */
const mode = ({ mode, modeWhy, sentence }: BootImageCard): string =>
  [mode ?? 'Not available', modeWhy === sentence ? '' : (modeWhy ?? '')].filter(Boolean).join('. ').replace(/\.?$/, '.')

const capital = (text: string): string => (text ? `${text[0]!.toUpperCase()}${text.slice(1)}.` : '')

function updates({
  updateOpen,
  sentence,
  updateLags,
}: Pick<BootImageCard, 'updateOpen' | 'sentence' | 'updateLags'>): string {
  if (updateOpen === null) return ''
  if (updateOpen) return 'It keeps no update to a higher minor release closed.'
  const apart = sentence.endsWith('Boot images keep nothing closed.')
  if (apart && updateLags)
    return 'It keeps updates to a higher minor release closed still: it follows its operator within minutes.'
  const other = apart ? ', for another reason' : ''
  return `It keeps updates to a higher minor release closed${other}.`
}

/** Where nothing is recorded there is nothing to support. */
const sure = ({ mode, confidence, confidenceWhy }: BootImageCard): string =>
  mode === null || mode === 'None' ? '' : `${capital(CONFIDENCE_WORDS[confidence])} ${confidenceWhy}`

/** What the release does here, and what is switched on of it. */
const managed = ({ releaseWords, managed }: BootImageCard): string =>
  [...releaseWords, managed && managed !== 'not managed on this platform' ? `Here: ${managed}.` : '']
    .filter(Boolean)
    .join(' ')
