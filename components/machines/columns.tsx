'use client'

import { lazy, Suspense } from 'react'
import { useLazyMenu } from '@/components/ui/lazy-menu'

export const COLUMNS = ['cluster', 'group', 'node', 'version', 'phase', 'verdict', 'image', 'age', 'error'] as const
export type Column = (typeof COLUMNS)[number]
export const COLUMN_WORDS: Record<Column, string> = {
  cluster: 'cluster',
  group: 'group',
  node: 'node',
  version: 'version',
  phase: 'phase',
  verdict: 'verdict',
  image: 'boot image',
  age: 'age',
  error: 'state',
}
// A machine's name begins with its group's: the group has its room only where somebody asks for it.
export const USUAL: Column[] = ['cluster', 'version', 'phase', 'verdict', 'age', 'error']

export const columnsOf = (text: string | null): Column[] => {
  const chosen = COLUMNS.filter((c) => text?.split(',').includes(c))
  return chosen.length > 0 ? chosen : USUAL
}

export interface ColumnPickerProps {
  shown: string | null
  href(cols: string | null): string
}

const load = () => import('./columns-menu')
const ColumnsMenu = lazy(load)

/** Which columns stand; the choice is in the URL. */
export function ColumnPicker(props: ColumnPickerProps) {
  const { asked, button } = useLazyMenu(load)
  const face = { className: 'btn btn-bare btn-small max-phone:hidden', children: 'Columns' }
  const closed = <button {...face} {...button} />
  return <Suspense fallback={closed}>{asked ? <ColumnsMenu {...props} face={face} /> : closed}</Suspense>
}
