import type { ReactNode } from 'react'

/**
 * A list with what can be done with its chosen rows below it. The bar stands at the end of the window, also below a list that ends
 * before that, so that it keeps its place while rows grow; on a phone it is above the pages' bar. What stands above such lists is taken off.
 */
export function Selectable({ children, bar }: { children: ReactNode; bar: ReactNode }) {
  return (
    <div className="has-[>[data-selection]]:flex has-[>[data-selection]]:min-h-[calc(100dvh-17rem)] has-[>[data-selection]]:flex-col max-phone:has-[>[data-selection]]:min-h-[calc(100dvh-33rem)]">
      <div className="min-w-0 pb-4">{children}</div>
      {bar}
    </div>
  )
}

/** How many are chosen, and the buttons. */
export function SelectionBar({ label, chosen, children }: { label: string; chosen: ReactNode; children: ReactNode }) {
  return (
    <section
      data-selection
      aria-label={label}
      className="sticky bottom-3 z-10 mt-auto flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line-strong bg-panel px-4 py-2.5 max-phone:bottom-[calc(66px+env(safe-area-inset-bottom))] max-phone:gap-x-2 max-phone:px-3"
    >
      <div role="status" className="min-w-0 grow">
        {chosen}
      </div>
      {/* On a phone they begin beside how many, and are small: two rows, not four. */}
      <div className="flex flex-wrap items-center gap-2 max-phone:contents max-phone:[&>button]:px-2 max-phone:[&>button]:text-sm">
        {children}
      </div>
    </section>
  )
}
