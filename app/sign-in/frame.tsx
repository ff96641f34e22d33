import type { ReactNode } from 'react'
import styles from './sign-in.module.css'

/** What stands round every form of signing in. */
export function Frame({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <main className={styles.page}>
      <div className={styles.panel}>
        <p className={styles.brand}>
          <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
            <path d="M3 4v14h18V4M7 4v9h10V4" fill="none" stroke="currentColor" strokeWidth="2" />
          </svg>
          Drydock
        </p>
        <h1 className={styles.title}>{title}</h1>
        {children}
      </div>
    </main>
  )
}
