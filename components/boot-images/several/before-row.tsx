'use client'

import type { SeveralSkewRow } from '@/lib/services/skew/preview-several'
import { ConfirmVersion } from '../confirm-version'
import type { Doing } from '../types'
import { ClusterName } from './cluster-name'
import { Follows } from './follows'
import { LeftOut, Refused } from './left-out'
import { Version, type TypedVersion } from './version'

interface Props {
  row: SeveralSkewRow
  doing: Doing
  confirmed: boolean
  onVersion(typed: TypedVersion): void
  onConfirm(on: boolean): void
}

/** One of several clusters: the version that is recorded there, and what follows; or why it is left out. */
export function BeforeRow({ row, doing, confirmed, onVersion, onConfirm }: Props) {
  const { preview, refused } = row
  const field = refused?.fields?.find(({ field }) => field === 'version')?.message
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1.5 py-2.5">
      <ClusterName id={row.clusterId} name={row.name} className="w-fit" />
      {doing === 'acknowledge' && (!refused || field) && <Version row={row} problem={field} onVersion={onVersion} />}
      {preview && (
        <>
          <Follows sentences={[...preview.follows.sentences, ...(row.review ? [row.review] : [])]} />
          {preview.warnings
            .filter((warning) => !preview.confirm?.includes(warning))
            .map((warning) => (
              <p key={warning} className="text-sm text-pretty text-ink-2">
                {warning}
              </p>
            ))}
          {preview.confirm && (
            <ConfirmVersion
              sentence={preview.confirm}
              records={doing === 'acknowledge'}
              checked={confirmed}
              onChange={onConfirm}
            />
          )}
          <LeftOut dryRun={preview.dryRun} unconfirmed={!confirmed} />
        </>
      )}
      {refused && !field && <Refused refused={refused} />}
    </li>
  )
}
