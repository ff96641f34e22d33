'use client'

import { useRouter } from 'next/navigation'
import { Button } from '@/components/ui'
import { formatFilter, formatTerm, type Filter } from '@/lib/services/filter-grammar'

/** The terms of a filter as buttons that take one away each. */
export function FilterChips({ filter, href }: { filter: Filter; href(text: string): string }) {
  const router = useRouter()
  const without = (i: number) => formatFilter({ ...filter, terms: filter.terms.filter((_, at) => at !== i) })
  return filter.terms.map((term, i) => (
    <Button
      key={i}
      small
      aria-label={`Remove the filter ${formatTerm(term)}`}
      onClick={() => router.push(href(without(i)), { scroll: false })}
    >
      {term.key} {term.not ? 'is not' : term.operator === '=' ? 'is' : term.operator} {term.values.join(' or ')}{' '}
      <span aria-hidden>×</span>
    </Button>
  ))
}
