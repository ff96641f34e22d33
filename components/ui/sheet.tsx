'use client'

import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { Button, type ButtonProps } from './button'
import { focusNear, isNowhere } from './focus'

export interface SheetProps {
  open: boolean
  onClose(): void
  title: ReactNode
  /** Above the title, small: where this belongs. */
  crumb?: ReactNode
  children: ReactNode
  /** Stays in sight below: the buttons. */
  footer?: ReactNode
  width?: number
  /** No veil over the page: it can still be read and clicked. */
  beside?: boolean
}

/**
 * From the side, on a phone from below. Esc and the cross close it; focus stays inside and returns where it was. Where somebody wrote
 * something that is not sent yet, a slip (Esc, a click beside it) asks once before it goes.
 */
export function Sheet({ open, onClose, title, crumb, children, footer, width = 480, beside }: SheetProps) {
  const { asked, onInput, onSlip } = useWritten()
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()} modal={!beside}>
      <Dialog.Portal>
        {!beside && <Dialog.Overlay className="overlay" />}
        <Dialog.Content
          className="sheet"
          style={{ '--sheet': `${width}px` } as React.CSSProperties}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            // It has no trigger of its own that the dialog could know.
            if (!isNowhere()) return
            event.preventDefault()
            focusNear()
          }}
          onInput={onInput}
          onEscapeKeyDown={onSlip}
          onInteractOutside={beside ? (event) => event.preventDefault() : onSlip}
        >
          <header className="flex items-start gap-3 border-b border-line px-5 py-3.5">
            <div className="min-w-0 grow">
              {crumb && <div className="text-sm text-ink-3">{crumb}</div>}
              <Dialog.Title className="text-md leading-snug font-[560] text-pretty wrap-anywhere">{title}</Dialog.Title>
            </div>
            <Dialog.Close className="btn btn-bare btn-small -mr-2" aria-label="Close">
              <X size={16} aria-hidden />
            </Dialog.Close>
          </header>
          <div className="grow overflow-y-auto overscroll-contain px-5 py-4">{children}</div>
          <div aria-live="polite">
            {asked && (
              <p className="border-t border-line px-5 py-2 text-sm text-ink-2">
                What you wrote is not sent yet. Esc once more closes this without it.
              </p>
            )}
          </div>
          {footer && (
            <footer className="flex flex-wrap items-center gap-2 border-t border-line px-5 py-3">{footer}</footer>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** What is only looked at is busy as well. */
const SENDING = 'footer button[aria-busy=true]'

/** What was written in a sheet and can still be sent: whoever would lose it by a slip is told so first. */
function useWritten() {
  const written = useRef(new Set<HTMLTextAreaElement>())
  const [asked, setAsked] = useState(false)
  return {
    asked,
    onInput({ target }: FormEvent) {
      if (target instanceof HTMLTextAreaElement) written.current.add(target)
      setAsked(false)
    },
    onSlip(event: Event) {
      const unsent = [...written.current].some((at) => at.isConnected && at.value.trim() !== '')
      const isSent = [...written.current].some((at) => at.closest('[role=dialog]')?.querySelector(SENDING))
      if (!unsent || isSent || asked) return
      event.preventDefault()
      setAsked(true)
    },
  }
}

/**
 * What came of it, in a sheet that stays open: brought into sight and read out as soon as it is there, wherever somebody had scrolled to
 * by then. `of`: which outcome it is; null: there is none yet.
 */
export function Outcome({ of, children }: { of: string | null; children: ReactNode }) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (of === null) return
    box.current?.focus({ preventScroll: true })
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [of])
  if (of === null) return children
  return (
    <div
      ref={box}
      id={id}
      role="group"
      aria-labelledby={id}
      tabIndex={-1}
      className="grid scroll-m-4 grid-cols-[minmax(0,1fr)] gap-4 outline-none"
    >
      {children}
    </div>
  )
}

/** What a sheet ends with: the button that does it, and the way out; once it is done, only the way out. */
export function Commit({ done, onClose, ...button }: ButtonProps & { done?: boolean; onClose(): void }) {
  if (done)
    return (
      <Button tone="primary" onClick={onClose} className="max-phone:grow">
        Done
      </Button>
    )
  return (
    <>
      <Button tone="primary" {...button} className="max-phone:grow" />
      <Button tone="bare" onClick={onClose}>
        Cancel
      </Button>
    </>
  )
}
