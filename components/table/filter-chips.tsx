'use client'

import { useRouter } from 'next/navigation'
import { Button } from '@/components/ui'
import { formatFilter, formatTerm, type Filter, type Term } from '@/lib/services/filter-grammar'
import type { FacetGroup } from './facets'

interface Props {
  filter: Filter
  href(text: string): string
  /** What stands beside is called in the same words. */
  facets?: readonly FacetGroup[]
}

/** The terms of a filter as buttons that take one away each. */
export function FilterChips({ filter, href, facets = [] }: Props) {
  const router = useRouter()
  const without = (i: number) => formatFilter({ ...filter, terms: filter.terms.filter((_, at) => at !== i) })
  return filter.terms.map((term, i) => (
    <Button
      key={i}
      small
      aria-label={`Remove the filter ${formatTerm(term)}`}
      onClick={() => router.push(href(without(i)), { scroll: false })}
    >
      {termWords(term, facets)} <span aria-hidden>×</span>
    </Button>
  ))
}

/** "New machines: may not join", or of what has no words "version < 4.22". */
export function termWords({ key, not, operator, values }: Term, facets: readonly FacetGroup[] = []): string {
  const { title, words } = facets.find((group) => group.key === key) ?? {}
  if (!title || !words || operator !== '=')
    return `${key} ${not ? 'is not' : operator === '=' ? 'is' : operator} ${values.join(' or ')}`
  return `${title}: ${not ? 'not ' : ''}${values.map((value) => words[value] ?? words[value.toLowerCase()] ?? value).join(' or ')}`
}
