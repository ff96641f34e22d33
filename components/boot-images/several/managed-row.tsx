import { count } from '@/components/ui'
import type { SetChange, SetFate } from '@/lib/domain/boot-images/managed/preview'
import type { SeveralManagedRow } from '@/lib/services/boot-images/preview-several-managed'
import { ConfirmVersion } from '../confirm-version'
import { ClusterName } from './cluster-name'
import { LeftOut, Refused } from './left-out'
import { Version, type TypedVersion } from './version'

interface Props {
  row: SeveralManagedRow
  /** A version is recorded there first. */
  records: boolean
  confirmed: boolean
  onVersion(typed: TypedVersion): void
  onConfirm(on: boolean): void
}

/** One of several clusters: what becomes of its machine sets, and in which writes; or why it is left out. */
export function ManagedRow({ row, records, confirmed, onVersion, onConfirm }: Props) {
  const { sentence, preview, refused } = row
  const field = refused?.fields?.find(({ field }) => field.startsWith('skew'))?.message
  const versions = records && row.recordsItself && (!refused || field !== undefined)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1.5 py-2.5">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <ClusterName id={row.clusterId} name={row.name} className="w-fit" />
        <span className="text-sm text-ink-3">{sentence}</span>
      </span>
      {versions && <Version row={row} problem={field} onVersion={onVersion} />}
      {preview && (
        <>
          <p className="text-pretty text-ink-2">{setsWords(preview.follows.sets)}</p>
          {preview.follows.sentences.map((sentence) => (
            <p key={sentence} className="text-sm text-pretty wrap-anywhere text-ink-2">
              {sentence}
            </p>
          ))}
          {preview.steps.length > 0 && (
            <ol className="list-decimal pl-5 text-sm text-ink-2">
              {preview.steps.map(({ label, waitsFor }) => (
                <li key={label}>{waitsFor ? `When ${waitsFor}: ${label}` : label}</li>
              ))}
            </ol>
          )}
          {preview.warnings.map((warning) => (
            <p key={warning} className="text-sm text-pretty text-ink-2">
              {warning}
            </p>
          ))}
          {preview.confirm && (
            <ConfirmVersion sentence={preview.confirm} records={versions} checked={confirmed} onChange={onConfirm} />
          )}
          <LeftOut dryRun={preview.dryRun} unconfirmed={!confirmed} />
        </>
      )}
      {refused && !(versions && field) && <Refused refused={refused} />}
    </li>
  )
}

const FATES: Record<SetFate, string> = {
  fails: 'that cannot be updated',
  changes: 'with a new image',
  'user-data': 'with other user data only',
  open: 'perhaps with a new image',
  'not-known': 'of which it is not known here',
  skipped: 'skipped',
  ignored: 'passed over',
  stays: 'current already',
  left: 'not managed',
}

/** "3 machine sets: 2 with a new image, 1 skipped." The control plane's set is none of them, and is said beside where it is managed. */
export function setsWords(all: readonly Pick<SetChange, 'kind' | 'fate'>[]): string {
  const sets = all.filter(({ kind }) => kind === 'MachineSet')
  const plane = all.find(({ kind, fate }) => kind !== 'MachineSet' && fate !== 'left')
  const besides = plane ? ` The control plane’s: ${FATES[plane.fate].replace(/^that /, '')}.` : ''
  const of = (fate: SetFate) => sets.filter((set) => set.fate === fate).length
  const fates = (Object.keys(FATES) as SetFate[]).filter((fate) => of(fate) > 0)
  if (sets.length === 0) return `There is no machine set.${besides}`
  const words = fates.map((fate) => `${of(fate)} ${FATES[fate]}`).join(', ')
  return `${count(sets.length, 'machine set')}: ${words}.${besides}`
}
