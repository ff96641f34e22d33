'use client'

import Link from 'next/link'
import { useState } from 'react'
import { Answer, Select, TextInput } from '@/components/ui'
import type { VersionKind } from '@/lib/domain/skew/types'
import type { SeveralSkewRow } from '@/lib/services/skew/preview-several'
import type { Doing } from '../types'

export interface TypedVersion {
  versionKind: VersionKind
  version: string
}

interface Props {
  row: SeveralSkewRow
  doing: Doing
  confirmed: boolean
  onVersion(typed: TypedVersion): void
  onConfirm(on: boolean): void
}

/** One of several clusters: the version that is recorded there, and what follows; or why it is left out. */
export function BeforeRow({ row, doing, confirmed, onVersion, onConfirm }: Props) {
  const { name, preview, refused } = row
  const field = refused?.fields?.find(({ field }) => field === 'version')?.message
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1.5 py-2.5">
      <Link
        href={`/boot-images/${row.clusterId}`}
        target="_blank"
        prefetch={false}
        className="w-fit font-medium wrap-anywhere hover:underline"
      >
        {name}
        <span className="sr-only"> (its page, in a new tab)</span>
      </Link>
      {doing === 'acknowledge' && (!refused || field) && <Version row={row} problem={field} onVersion={onVersion} />}
      {preview && (
        <>
          <p className="text-pretty text-ink-2">{preview.follows.judgement.sentence}</p>
          {preview.warnings
            .filter((warning) => warning !== preview.confirm)
            .map((warning) => (
              <p key={warning} className="text-sm text-pretty text-ink-2">
                {warning}
              </p>
            ))}
          {preview.confirm && (
            <label className="flex min-h-6 items-start gap-2 rounded-md border border-blocked/40 bg-blocked-soft px-3 py-2 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                className="mt-1"
                checked={confirmed}
                onChange={(e) => onConfirm(e.target.checked)}
              />
              <span className="text-pretty">{preview.confirm} Record it all the same.</span>
            </label>
          )}
          {!preview.dryRun.ok && (
            <div role="alert">
              <p className="text-pretty text-blocked">
                <span aria-hidden>✕ </span>Left out: {preview.dryRun.sentence}
              </p>
              {preview.dryRun.answer && <Answer>{preview.dryRun.answer}</Answer>}
            </div>
          )}
        </>
      )}
      {refused && !field && (
        <p role="alert" className="text-pretty text-blocked">
          <span aria-hidden>✕ </span>Left out: {refused.message} <span className="text-ink-2">{refused.hint}</span>
        </p>
      )}
    </li>
  )
}

/** Looked at anew when it is left, not with each key: all clusters are asked. */
function Version({ row, problem, onVersion }: Pick<Props, 'row' | 'onVersion'> & { problem?: string }) {
  const [version, setVersion] = useState(row.version)
  const put = (kind: VersionKind = row.versionKind) => {
    if (version.trim() !== row.version || kind !== row.versionKind)
      onVersion({ versionKind: kind, version: version.trim() })
  }
  return (
    <div className="grid grid-cols-[130px_minmax(0,200px)_minmax(0,1fr)] items-start gap-3 max-phone:grid-cols-1">
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
      {row.why && <p className="text-sm text-pretty text-ink-2">{row.why}</p>}
    </div>
  )
}
