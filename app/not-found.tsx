import { LinkButton } from '@/components/ui/button'

export default function NotFound() {
  return (
    <main className="mx-auto grid max-w-lg justify-items-start gap-3 px-6 py-24">
      <h1>There is nothing at this address.</h1>
      <p className="text-ink-2">
        It may have been deleted in the cluster since you had the link, or its cluster was disconnected.
      </p>
      <LinkButton href="/">To the fleet</LinkButton>
    </main>
  )
}
