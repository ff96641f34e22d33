'use client'

import type { DragEvent } from 'react'
import { Facts, Select, Textarea } from '@/components/ui'
import type { Inspection } from '@/lib/services/clusters/inspect-kubeconfig'

interface Props {
  value: string
  context: string
  contexts: string[]
  onRead(text: string, context?: string): void
}

/** Paste it, drop it or choose the file; more than one context asks which. */
export function KubeconfigField({ value, context, contexts, onRead }: Props) {
  // A larger file is refused by size; only so much of it has to be read to say so.
  const open = (file: File) =>
    void file
      .slice(0, 300 * 1024)
      .text()
      .then((text) => onRead(text))
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer.files[0]
    if (!file) return
    event.preventDefault()
    open(file)
  }
  return (
    <>
      <div onDrop={drop} onDragOver={(event) => event.preventDefault()}>
        <Textarea
          label="Kubeconfig"
          mono
          rows={10}
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => onRead(event.target.value)}
          placeholder="Paste it here, or drop the file on this field."
          hint="It is read by an allow-list, sealed, and never shown again."
        />
        <label className="btn mt-2 w-fit cursor-pointer focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
          Choose a file…
          <input
            type="file"
            className="sr-only"
            aria-label="Kubeconfig file"
            onChange={(event) => {
              const file = event.target.files?.[0]
              if (file) open(file)
              event.target.value = '' // the same file may be chosen again after it was changed
            }}
          />
        </label>
      </div>
      {contexts.length > 1 && (
        <div className="mt-4">
          <Select label="Context" value={context} onChange={(event) => onRead(value, event.target.value)}>
            <option value="">Choose one of {contexts.length}</option>
            {contexts.map((c) => (
              <option key={c}>{c}</option>
            ))}
          </Select>
        </div>
      )}
    </>
  )
}

/** What would be kept of a kubeconfig, or each refusal in its own sentence. */
export function Reading({ inspection }: { inspection: Inspection }) {
  if (inspection.refused.length > 0) {
    return (
      <div role="alert" className="mt-4 rounded-md border border-blocked/40 bg-blocked-soft px-4 py-3">
        <p className="font-medium">Refused:</p>
        <ul className="mt-1 grid gap-1">
          {inspection.refused.map((r) => (
            <li key={r.field + r.sentence}>
              <span aria-hidden className="mr-1.5 text-blocked">
                ✕
              </span>
              {r.sentence}
            </li>
          ))}
        </ul>
      </div>
    )
  }
  return (
    <div className="mt-4 rounded-md border border-line bg-panel px-4 py-3">
      <p className="mb-1 font-medium">Drydock would keep, and nothing else:</p>
      <Facts
        items={inspection.kept.map((k) => [
          k.what,
          <span key={k.what} className="font-mono text-sm break-all">
            {k.value}
          </span>,
        ])}
      />
    </div>
  )
}
