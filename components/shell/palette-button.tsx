'use client'

import { Search } from 'lucide-react'
import { Kbd } from '@/components/ui/text'
import { openOverlay } from './keyboard'

export function PaletteButton() {
  return (
    <button
      type="button"
      onClick={() => openOverlay('palette')}
      className="flex h-7 items-center gap-2 rounded-md border border-line px-2 text-ink-2 hover:border-line-strong hover:text-ink pointer-coarse:size-11 pointer-coarse:justify-center"
      aria-label="Find a machine, group or action"
      aria-keyshortcuts="Control+K Meta+K"
    >
      <Search size={14} aria-hidden />
      <span className="max-phone:hidden">Find a machine, group or action</span>
      <span className="max-phone:hidden">
        <Kbd>Ctrl K</Kbd>
      </span>
    </button>
  )
}
