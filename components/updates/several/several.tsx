'use client'

import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { DecisionMode } from '@/lib/services/changes/change-row'
import type { UpdatesPage } from '@/lib/services/fleet/list-updates'
import { Bar } from './bar'
import { asked } from './selection'
import type { SeveralActions } from './several-sheet'
import { useSelection, type Selection } from './use-selection'

// Most who look at the list open no sheet.
const SeveralSheet = dynamic(() => import('./several-sheet').then((m) => m.SeveralSheet), { ssr: false })

interface Deciding {
  mode: DecisionMode | null
  decide(mode: DecisionMode | null): void
}

export type Several = Deciding & { selection: Selection }

/** Several changes of the list that wait, chosen to be decided together; null: nobody decides anything here. */
export function useSeveral({
  data,
  query,
  isOld,
}: {
  data: UpdatesPage
  query: string
  /** It is the list of before, for as long as the one that is asked for is not there. */
  isOld: boolean
}): Several | null {
  const [mode, decide] = useState<DecisionMode | null>(null)
  const params = new URLSearchParams(query)
  const waiting = (params.get('tab') ?? 'waiting') === 'waiting'
  params.delete('cursor')
  const listing =
    isOld || !waiting ? null : { page: query, rows: asked(data.changes, data.unaskable), more: data.cursor !== null }
  const selection = useSelection(params.toString(), listing, mode !== null)
  return waiting && data.may.reject ? { selection, mode, decide } : null
}

/** The bar below the list, and the sheet. */
export function SeveralBar({
  several: { selection, mode, decide },
  may,
  actions,
}: {
  several: Several
  may: UpdatesPage['may']
  actions: SeveralActions
}) {
  const client = useQueryClient()
  return (
    <>
      <Bar selection={selection} may={may} onDecide={decide} />
      {mode && (
        <SeveralSheet
          chosen={selection.chosen}
          mode={mode}
          actions={actions}
          onDecided={(ids) => {
            selection.remove(ids)
            void client.invalidateQueries({ queryKey: ['changes'] })
          }}
          onClose={() => decide(null)}
        />
      )}
    </>
  )
}
