import { Select, TextInput } from '@/components/ui'
import { CHOICE } from './choice'

/** What becomes of the limit before not all machine sets are managed any more. */
export interface First {
  action: 'acknowledge' | 'opt-out'
  versionKind: 'OCPVersion' | 'RHCOSVersion'
  version: string
}

interface Props {
  first: First
  /** Why it begins with that version. */
  why: string | null
  problem?: string
  onChange(first: First): void
}

export function RecordFirst({ first, why, problem, onChange }: Props) {
  return (
    <fieldset className="grid gap-2 rounded-md border border-line-strong bg-sunk px-3 py-2 pointer-coarse:gap-0">
      <legend className="px-1 font-medium">First, for the operator records by itself now</legend>
      <p className="text-sm text-pretty text-ink-2">
        The API server takes nothing but all machine sets for as long as it does. What the operator recorded is lost
        with that, unless you record it here: then it is your word.
      </p>
      <label className={CHOICE}>
        <input
          type="radio"
          name="first"
          className="mt-1"
          checked={first.action === 'acknowledge'}
          onChange={() => onChange({ ...first, action: 'acknowledge' })}
        />
        <span>Record a version</span>
      </label>
      {first.action === 'acknowledge' && (
        <div className="grid grid-cols-[150px_minmax(0,1fr)] items-start gap-x-3 gap-y-2 max-phone:grid-cols-1">
          <Select
            label="Kind"
            value={first.versionKind}
            onChange={(e) => onChange({ ...first, versionKind: e.target.value as First['versionKind'] })}
          >
            <option value="OCPVersion">OCP version</option>
            <option value="RHCOSVersion">RHCOS version</option>
          </Select>
          <TextInput
            label="Oldest boot image in use"
            mono
            value={first.version}
            onChange={(e) => onChange({ ...first, version: e.target.value })}
            problem={problem}
            spellCheck={false}
            autoComplete="off"
          />
          {why && <p className="col-span-full text-sm text-pretty text-ink-2">{why}</p>}
        </div>
      )}
      <label className={CHOICE}>
        <input
          type="radio"
          name="first"
          className="mt-1"
          checked={first.action === 'opt-out'}
          onChange={() => onChange({ ...first, action: 'opt-out' })}
        />
        <span>Switch enforcement off: nobody warns any more when boot images grow too old</span>
      </label>
    </fieldset>
  )
}
