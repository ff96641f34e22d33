import clsx from 'clsx'
import { CopyButton } from './copy-button'

/** Verbatim text with a button that copies it. */
export function CodeBlock({
  text,
  wrap,
  label,
  className,
}: {
  text: string
  wrap?: boolean
  label?: string
  className?: string
}) {
  return (
    <div className={clsx('group relative rounded-md border border-line bg-sunk', className)}>
      {label && (
        <p className="min-h-8 border-b border-line py-1.5 pr-9 pl-3 font-mono text-xs break-all text-ink-2">{label}</p>
      )}
      <pre
        tabIndex={0}
        className={clsx(
          'max-h-96 overflow-auto px-3 py-2 leading-relaxed',
          wrap && 'wrap-anywhere whitespace-pre-wrap',
          wrap && !label && 'pr-9',
        )}
      >
        {text}
      </pre>
      <CopyButton text={text} className="absolute top-1 right-1 bg-sunk" />
    </div>
  )
}

/** Indented as people read it, whatever order it came in. */
export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
