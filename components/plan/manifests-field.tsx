'use client'

import type { DragEvent, Ref } from 'react'
import { Textarea } from '@/components/ui'

/** A larger text is refused by its size; only so much of a file has to be read to say so. */
const READ_BYTES = 1024 * 1024 + 1

/** Pasted, dropped or chosen; several files are put one after another, and what stands there already stays. */
export function ManifestsField({
  value,
  onChange,
  problem,
  ref,
}: {
  value: string
  onChange(text: string): void
  problem?: string
  ref: Ref<HTMLTextAreaElement>
}) {
  const read = async (files: File[]) => {
    const texts = await Promise.all(files.map((file) => file.slice(0, READ_BYTES).text()))
    const all = [value, ...texts].map((text) => text.trimEnd()).filter((text) => text !== '')
    onChange(all.join('\n---\n') + '\n')
  }
  const drop = (event: DragEvent) => {
    const files = [...event.dataTransfer.files]
    if (files.length === 0) return
    event.preventDefault()
    void read(files)
  }
  return (
    <div onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <Textarea
        ref={ref}
        label="Manifests"
        mono
        rows={14}
        spellCheck={false}
        autoComplete="off"
        wrap="off"
        value={value}
        problem={problem}
        onChange={(event) => onChange(event.target.value)}
        placeholder="Paste them here, or drop the files on this field. One text may hold many documents, between lines with ---."
        hint="MachineDeployments, KubeadmControlPlanes, infrastructure and bootstrap templates, and Clusters that a ClusterClass manages. At most 1 MiB."
      />
      <div className="mt-2 flex flex-wrap gap-2">
        <label className="btn w-fit cursor-pointer focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
          Choose files…
          <input
            type="file"
            multiple
            accept=".yaml,.yml,.json,text/plain"
            className="sr-only"
            aria-label="Manifest files"
            onChange={(event) => {
              void read([...(event.target.files ?? [])])
              event.target.value = '' // the same file may be chosen again after it was changed
            }}
          />
        </label>
      </div>
    </div>
  )
}
