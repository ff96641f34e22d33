'use client'

import { useState } from 'react'
import { Select, TextInput } from '@/components/ui'
import type { VersionKind } from '@/lib/domain/skew/types'

export interface TypedVersion {
  versionKind: VersionKind
  version: string
}

interface Props {
  row: TypedVersion & { name: string; why: string | null }
  problem?: string
  onVersion(typed: TypedVersion): void
}

/** Looked at anew when it is left, not with each key: all clusters are asked. */
export function Version({ row, problem, onVersion }: Props) {
  const [version, setVersion] = useState(row.version)
  const put = (kind: VersionKind = row.versionKind) => {
    if (version.trim() !== row.version || kind !== row.versionKind)
      onVersion({ versionKind: kind, version: version.trim() })
  }
  return (
    <div className="grid grid-cols-[150px_minmax(0,240px)] items-start gap-3 max-phone:grid-cols-1">
      <Select
        label="Kind"
        aria-label={`Kind of version of ${row.name}`}
        value={row.versionKind}
        onChange={(e) => put(e.target.value as VersionKind)}
      >
        <option value="OCPVersion">OCP version</option>
        <option value="RHCOSVersion">RHCOS version</option>
      </Select>
      <TextInput
        label="Oldest in use"
        aria-label={`Oldest boot image in use of ${row.name}`}
        mono
        value={version}
        onChange={(e) => setVersion(e.target.value)}
        onBlur={() => put()}
        onKeyDown={(e) => e.key === 'Enter' && put()}
        problem={problem}
        spellCheck={false}
        autoComplete="off"
      />
      {version.trim() !== row.version ? (
        <p className="col-span-full text-sm text-pretty text-ink-2">
          What stands below is of {row.version || 'no version'} until you leave the field.
        </p>
      ) : (
        row.why && <p className="col-span-full text-sm text-pretty text-ink-2">{row.why}</p>
      )}
    </div>
  )
}
