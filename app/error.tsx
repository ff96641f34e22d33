'use client'

import { useRouter } from 'next/navigation'
import { startTransition, useCallback, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { ErrorState } from '@/components/ui/states'

const AGAIN = 5_000

/** A page that could not be made. What a browser is told of it is a number only; whether it is the database, it can ask. */
export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  const router = useRouter()
  // What failed was made on the server: there it is made again.
  const again = useCallback(
    () =>
      startTransition(() => {
        router.refresh()
        reset()
      }),
    [router, reset],
  )
  const database = useDatabaseDown(again)
  return (
    <div className="mx-auto max-w-2xl px-6 py-16">
      <ErrorState
        error={{
          message: database ? 'Drydock’s database does not answer.' : 'Drydock cannot show this page now.',
          hint: `Your clusters are not affected, and what is held stays held.${database ? ' Where Drydock only watches, nothing new is held meanwhile. The page comes back by itself.' : ''}${error.digest ? ` In the log it is ${error.digest}.` : ''}`,
        }}
        action={<Button onClick={again}>Try again</Button>}
      />
    </div>
  )
}

/** Asks until the database is there again, then has the page made anew. */
function useDatabaseDown(back: () => void): boolean {
  const [down, setDown] = useState(false)
  useEffect(() => {
    let over = false
    let timer: ReturnType<typeof setTimeout>
    let was = false
    const ask = async (): Promise<void> => {
      const status = await fetch('/api/health', { cache: 'no-store' }).then(
        (answer) => answer.status,
        () => 0,
      )
      if (over) return
      if (status === 503) setDown((was = true))
      else if (status === 200 && was) return back()
      timer = setTimeout(() => void ask(), AGAIN)
    }
    void ask()
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [back])
  return down
}
