import type { ReactNode } from 'react'
import { Chip, type ChipTone } from '@/components/ui'

/** A state in a word and in a sentence. */
export function StatusLine({ tone, word, children }: { tone: ChipTone; word: ReactNode; children: ReactNode }) {
  return (
    <p className="mt-2 flex max-w-[90ch] flex-wrap items-baseline gap-2">
      <Chip tone={tone}>{word}</Chip>
      <span className="text-ink-2">{children}</span>
    </p>
  )
}
