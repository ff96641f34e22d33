'use client'

import clsx from 'clsx'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

export function CopyButton({ text, label = 'Copy', className }: { text: string; label?: string; className?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 1600)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard
      ? navigator.clipboard.writeText(text).then(
          () => setState('copied'),
          () => setState('failed'),
        )
      : setState('failed')
  const said = state === 'copied' ? 'Copied' : state === 'failed' ? 'The browser did not allow copying' : label
  return (
    <button
      type="button"
      onClick={copy}
      title={said}
      aria-label={said}
      className={clsx('inline-grid size-6 shrink-0 place-items-center rounded text-ink-3 hover:text-ink', className)}
    >
      {state === 'copied' ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
      <span role="status" className="sr-only">
        {state === 'idle' ? '' : said}
      </span>
    </button>
  )
}
