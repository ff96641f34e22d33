import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { CardFacts } from './card-facts'

test('updates that are closed are not said to be so for boot images that keep nothing closed', () => {
  const closed = (sentence: string, updateLags = false) => {
    const of = { mode: null, distanceWords: '', unheard: null, nodeRisk: 'no', nodeRiskWhy: '', releaseWords: [] }
    const card = { ...of, managed: '', pass: null, updateOpen: false, updateLags, sentence } as never as BootImageCard
    return renderToStaticMarkup(createElement(CardFacts, { card }))
  }
  expect(closed('In range. Boot images keep nothing closed.')).toContain('release closed, for another reason.')
  // Right after an acknowledgement.
  expect(closed('In range. Boot images keep nothing closed.', true)).toContain('closed still: it follows its operator')
  expect(closed('Boot image 4.12.7 is below the floor 4.13.0. Updates are closed.')).toContain('release closed.')
})
