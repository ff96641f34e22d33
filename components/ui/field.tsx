import clsx from 'clsx'
import { useId, type ComponentProps, type ReactNode } from 'react'

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  /** The one sentence that says what is wrong with this field. */
  problem?: string
}

interface Wide {
  /** In a grid a row of its own. */
  wide?: boolean
}

function Field({ label, hint, problem, wide, id, children }: FieldProps & Wide & { id: string; children: ReactNode }) {
  return (
    <div className={clsx('grid content-start gap-1', wide && 'col-span-full')}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-3">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} role="alert" className="text-sm text-blocked">
          {problem}
        </p>
      )}
    </div>
  )
}

const described = (id: string, { hint, problem }: Partial<FieldProps>) => ({
  id,
  'aria-invalid': problem ? true : undefined,
  'aria-describedby': clsx(hint ? `${id}-hint` : undefined, problem && `${id}-problem`) || undefined,
})

type With<T extends 'input' | 'select' | 'textarea'> = FieldProps & ComponentProps<T> & { mono?: boolean }

export function TextInput({ label, hint, problem, mono, className, ...rest }: With<'input'>) {
  const id = useId()
  return (
    <Field {...{ label, hint, problem, id }}>
      <input
        {...rest}
        {...described(id, { hint, problem })}
        className={clsx('input', mono && 'font-mono', className)}
      />
    </Field>
  )
}

export function Textarea({ label, hint, problem, mono, className, ...rest }: With<'textarea'>) {
  const id = useId()
  return (
    <Field {...{ label, hint, problem, id }}>
      <textarea
        rows={3}
        {...rest}
        {...described(id, { hint, problem })}
        className={clsx('input', mono && 'font-mono text-sm', className)}
      />
    </Field>
  )
}

export function Select({ label, hint, problem, wide, mono, className, ...rest }: With<'select'> & Wide) {
  const id = useId()
  return (
    <Field {...{ label, hint, problem, wide, id }}>
      <select
        {...rest}
        {...described(id, { hint, problem })}
        className={clsx('input', mono && 'font-mono', className)}
      />
    </Field>
  )
}

/** The sentence for one field out of a failure's list. */
export const problemOf = (fields: { field: string; message: string }[] | undefined, field: string) =>
  fields?.find((f) => f.field === field)?.message
