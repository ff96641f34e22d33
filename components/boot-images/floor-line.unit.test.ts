import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { FloorLine } from './floor-line'

it.each([
  [3, 'floor 4.13'],
  [null, null],
])('draws a floor that is known alone: distance %s', (distance, words) => {
  const card = {
    ...{ version: '5.3.1', distance, recorded: { ocpVersion: '4.16.0', rhcosVersion: null } },
    floor: { ocp: '4.13.0', rhel: '9.2' },
  } as unknown as BootImageCard
  const html = renderToStaticMarkup(createElement(FloorLine, { card }))
  if (words) expect(html).toContain(words)
  else expect(html).toBe('')
})
