'use client'

import { Button } from '@/components/ui/button'
import { ErrorState } from '@/components/ui/states'

export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  return (
    <div className="mx-auto max-w-2xl px-6 py-16">
      <ErrorState
        error={{
          message: 'Drydock cannot show this page now.',
          hint: `Your clusters are not affected, and what is held stays held.${error.digest ? ` In the log it is ${error.digest}.` : ''}`,
        }}
        action={<Button onClick={reset}>Try again</Button>}
      />
    </div>
  )
}
