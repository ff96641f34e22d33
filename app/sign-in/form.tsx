'use client'

import { useActionState, useEffect, useRef, type ReactNode } from 'react'
import { signInAction, useLinkAction, type SignInState } from './actions'
import styles from './sign-in.module.css'

interface FieldProps {
  name: string
  label: string
  state: SignInState
  type?: string
  autoComplete: string
  hint?: string
  value?: string
  minLength?: number
}

function Field({ name, label, state, type = 'text', hint, value, ...rest }: FieldProps): ReactNode {
  const problem = state.error?.fields?.find((f) => f.field === name)?.message
  const typed = name === 'name' || name === 'email' ? state.typed?.[name] : undefined
  const about = [problem ? `${name}-problem` : '', hint ? `${name}-hint` : ''].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label htmlFor={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        required
        defaultValue={typed ?? value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={about || undefined}
        {...rest}
      />
      {hint && (
        <p id={`${name}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${name}-problem`} className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  )
}

function Trouble({ state }: { state: SignInState }): ReactNode {
  if (!state.error || state.error.fields?.length) return null
  return (
    <div role="alert" className={styles.trouble}>
      <p>{state.error.message}</p>
      {state.error.hint && <p className={styles.hint}>{state.error.hint}</p>}
    </div>
  )
}

export function PasswordForm({ next }: { next?: string }): ReactNode {
  const [state, submit, pending] = useActionState<SignInState, FormData>(signInAction, {})
  return (
    <form action={submit} className={styles.form}>
      <Trouble state={state} />
      {next && <input type="hidden" name="next" value={next} />}
      <Field name="email" label="E-mail address" type="email" autoComplete="username" state={state} />
      <Field name="password" label="Password" type="password" autoComplete="current-password" state={state} />
      <button type="submit" disabled={pending} className={styles.button}>
        {pending ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  )
}

interface LinkFormProps {
  token: string
  asks: 'nothing' | 'password' | 'account'
  email?: string
}

/** A link is used up by a press, not by a look: programs that preview addresses must not spend it. Here the page presses. */
export function LinkForm({ token, asks, email }: LinkFormProps): ReactNode {
  const [state, submit, pending] = useActionState<SignInState, FormData>(useLinkAction, {})
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (asks === 'nothing') form.current?.requestSubmit()
  }, [asks])
  return (
    <form ref={form} action={submit} className={styles.form}>
      <Trouble state={state} />
      <input type="hidden" name="token" value={token} />
      {asks === 'account' && <Field name="name" label="Your name" autoComplete="name" state={state} />}
      {asks === 'account' && (
        <Field name="email" label="E-mail address" type="email" autoComplete="username" state={state} value={email} />
      )}
      {asks !== 'nothing' && (
        <Field
          name="password"
          label="Choose a password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
          minLength={12}
          state={state}
        />
      )}
      <button type="submit" disabled={pending} className={styles.button}>
        {pending ? 'Signing in…' : asks === 'account' ? 'Create account' : 'Sign in'}
      </button>
    </form>
  )
}
