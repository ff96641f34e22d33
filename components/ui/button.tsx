import clsx from 'clsx'
import Link from 'next/link'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'

export type Tone = 'plain' | 'primary' | 'in-place' | 'replace' | 'danger' | 'bare'

const classes = (tone: Tone, small?: boolean, className?: string) =>
  clsx('btn', tone !== 'plain' && `btn-${tone}`, small && 'btn-small', className)

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: Tone
  small?: boolean
  /** It is under way: the button waits and says so. */
  pending?: boolean
  /** Why it cannot act. Said in the button's place, because a grey button explains nothing. */
  why?: ReactNode
}

export function Button({ tone = 'plain', small, pending, why, disabled, className, children, ...rest }: ButtonProps) {
  if (why) return <Cannot label={children}>{why}</Cannot>
  const idle = disabled || pending
  return (
    <button
      type="button"
      {...rest}
      // Not disabled: that takes the focus away, and whoever pressed it would begin at the top of the page.
      {...(idle && { 'aria-disabled': true, onClick: stop })}
      aria-busy={pending || undefined}
      className={classes(tone, small, className)}
    >
      {children}
      {pending && <span aria-hidden>…</span>}
    </button>
  )
}

/** Also what it would submit. */
const stop = (event: MouseEvent): void => event.preventDefault()

function Cannot({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <span className="cannot">
      <span className="inline-block max-w-[52ch] rounded-md border border-dashed border-line-strong px-3 py-1 text-sm text-ink-2">
        <span className="font-medium text-ink-3">{label}</span>: {children}
      </span>
    </span>
  )
}

export interface LinkButtonProps extends ComponentProps<typeof Link> {
  tone?: Tone
  small?: boolean
}

export function LinkButton({ tone = 'plain', small, className, ...rest }: LinkButtonProps) {
  return <Link {...rest} className={classes(tone, small, className)} />
}
